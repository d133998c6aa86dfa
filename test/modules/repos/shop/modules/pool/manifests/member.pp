define pool::member(Integer $weight = 1) {
  file { "/etc/pool.d/${name}": content => String($weight), require => Class['pool'] }
}
