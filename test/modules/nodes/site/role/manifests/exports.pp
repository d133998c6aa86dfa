class role::exports {
  @@profile::check { "http-${facts['networking']['hostname']}": command => 'check_http', tag => ['web', $facts['datacenter']] }
  @@file { "/srv/export/${trusted['certname']}": content => epp('profile/report.epp', { 'people' => {}, 'options' => {} }), tag => 'export' }
  @profile::check { ['v1', 'v2', 'v3']: command => 'true' }
  @file { '/srv/virtual': ensure => directory }
  Profile::Check <<| tag == 'web' and command != 'off' |>> { interval => 30, require => File['/srv/virtual'] }
  Profile::Check <| title == 'v1' or title == 'v3' |> { command => 'false' } -> Notify['after']
  realize File['/srv/virtual']
  File <| tag == 'export' |> { mode => '0640' }
  Host <<| |>>
  @@host { $trusted['certname']: ip => $facts['networking']['ip'], host_aliases => $facts['networking']['hostname'] }
  notify { 'after': }
  Profile::Check <| |> ~> Service <| title == 'monitor' |>
  service { 'monitor': ensure => running, schedule => 'maintenance', noop => true, loglevel => debug, alias => ['mon', 'watch'] }
  file { '/etc/notified': notify => Service['mon'], subscribe => [Profile::Check['v1'], [File['/srv/virtual']]] }
}
