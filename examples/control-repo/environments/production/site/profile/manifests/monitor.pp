# Watches all web servers that there are.
class profile::monitor {
  require profile::base
  $folder = "${profile::base::root}/targets"

  file { $folder:
    ensure  => directory,
    purge   => true,
    recurse => true,
  }

  Profile::Endpoint <<| tag == 'web' |>>
}
