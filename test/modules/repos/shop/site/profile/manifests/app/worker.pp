class profile::app::worker(Integer[0] $count = Integer($facts.get('processors.count', '2'))) {
  Integer[1, $count].each |$n| {
    service { "worker@${n}": ensure => running, provider => systemd, require => Class['profile::db'] }
  }
  Service <| title == 'worker@1' |> { enable => true }
  Service <| tag == 'worker' and provider == systemd |> -> Notify['workers up']
  notify { 'workers up': message => sprintf('%03d workers, %s', $count, type($count)) }
}
