class pool(Integer[1, 16] $size, Pool::Kind $kind) {
  file { '/etc/pool.conf': content => "${kind} ${size}\n" }
  contain pool::service
  File['/etc/pool.conf'] ~> Class['pool::service']
}
