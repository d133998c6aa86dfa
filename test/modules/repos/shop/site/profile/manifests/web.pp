class profile::web(Array[Integer, 1] $ports = [8080], Optional[String] $root = undef) {
  contain pool
  $lines = profile::listen($ports, '# web')
  file { '/etc/web.conf':
    ensure  => file,
    content => epp('profile/web.conf.epp', { 'lines' => $lines, 'root' => $root }),
    notify  => Service['web'],
  }
  service { 'web': ensure => running, enable => true, subscribe => [Class['pool'], Package['vim']].filter |$it| { $it =~ Type[Class] } }
  @@pool::member { "${facts['networking']['hostname']}:${ports[0]}": weight => size($ports), tag => ["tier_${tier}", 'member'] }
  Pool::Member <<| tag == 'member' and title != 'none' |>> { weight => 7 }
}
