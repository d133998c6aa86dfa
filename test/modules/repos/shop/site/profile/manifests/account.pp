define profile::account(Integer $uid, Array[String] $groups = [], Profile::Path $shell = '/bin/bash', Profile::Ensure $ensure = present) {
  user { $title:
    ensure     => $ensure,
    uid        => $uid,
    groups     => $groups.filter |$group| { $group !~ /^--/ },
    shell      => $shell,
    managehome => true,
  }
  if $ensure == present {
    file { "/home/${title}": ensure => directory, owner => $title, mode => '0750' }
    User[$title] -> File["/home/${name}"]
  }
}
