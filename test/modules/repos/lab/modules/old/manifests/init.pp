class old inherits old::params {
  $port = "80" + 1
  $path = $operatingsystem ? { 'Debian' => '/etc/old', default => '/usr/old' }
  file { "${path}/${old::params::file}": mode => 0644 }
  if $undefined_here { notify { 'never': } } else { notify { "undefined ${undefined_here} ${::also_undefined} ${old::nothing}": } }
  notify { "port ${port}": require => File['/etc/old/x.conf'] }
  if '10' + 0 > 9 { notify { 'compared': } }
  $list = [1, 2][5]
  notify { "nothing: ${list}": message => inline_epp('<%= $old::port %><%= $nowhere %>') }
  $name.notice
}
