class profile::db(Hash $settings = {}, Optional[String] $replica_of = undef) inherits profile::db::params {
  include profile::base
  $merged = $profile::db::params::defaults + $settings
  file { '/etc/db.conf':
    content => $merged.map |$key, $value| { "${key} = ${value}" }.join("\n"),
    require => Package[$profile::base::packages[0]],
  }
  $replica_of.then |$host| { notify { "replica of ${host}": before => File['/etc/db.conf'] } }
  exec { 'reload db': command => '/usr/bin/db reload', refreshonly => true, subscribe => File['/etc/db.conf'], loglevel => 'debug' }
  if $replica_of { include profile::db::replica }
}
