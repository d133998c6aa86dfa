class profile::db::replica inherits profile::db {
  File['/etc/db.conf'] { mode => '0400', require +> Exec['sync'] }
  exec { 'sync': command => 'sync', path => ['/bin', '/usr/bin'] }
}
