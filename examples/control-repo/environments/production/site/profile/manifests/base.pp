# The folder that all other profiles work in, and the message of the day.
#
# @param root where everything goes; the fact lies in the agent's own folder
# @param package_tool what installs packages, told in the facts file
class profile::base (
  Profile::Path     $root         = $facts['understudy_root'],
  Optional[String]  $package_tool = undef,
) {
  file { [$root, "${root}/etc"]:
    ensure => directory,
    mode   => '0755',
  }

  file { "${root}/etc/welcome.txt":
    ensure => file,
    source => 'puppet:///modules/profile/welcome.txt',
  }

  $summary = {
    'certname' => $trusted['certname'],
    'os'       => "${facts['os']['name']} ${facts['os']['release']['major']}",
    'packages' => $package_tool,
  }.filter |$key, $value| { $value =~ NotUndef }

  file { "${root}/etc/summary.txt":
    ensure  => file,
    content => $summary.map |$key, $value| { "${key}: ${value}\n" }.join,
  }

  class { 'motd':
    path    => "${root}/etc/motd",
    require => File["${root}/etc"],
  }
  contain motd
}
