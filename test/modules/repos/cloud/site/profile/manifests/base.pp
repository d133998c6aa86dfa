# What every machine has: people, clock, kernel settings, a host entry for the others.
class profile::base (
  Array[String]                 $packages    = [],
  String[1]                     $admin_group = 'wheel',
  Hash[String, Profile::Person]  $admins      = {},
  Hash[String, Scalar]          $sysctl      = {},
  Array[Stdlib::Host]           $timeservers = ['pool.ntp.org'],
  Optional[Sensitive[String]]   $root_hash   = undef,
) {
  ensure_packages($packages, { 'ensure' => 'present' })

  class { 'chrony':
    servers    => $timeservers,
    queryhosts => ['10.0.0.0/8'],
  }

  group { $admin_group: ensure => present }
  $admins.each |String $name, Hash $admin| {
    @profile::admin { $name:
      *           => $admin,
      tag         => ['people', pick($admin['ensure'], 'present')],
      extra_group => $admin_group,
    }
  }
  Profile::Admin <| tag == 'people' and title != 'nobody' |>

  $sysctl.each |String $key, Scalar $value| {
    sysctl::value { $key: value => String($value) }
  }

  file { '/etc/motd':
    content => template('profile/motd.erb'),
    mode    => '0644',
  }
  file { '/etc/understood.yaml':
    content => to_yaml(profile::machine($facts) + { 'role' => $role }),
  }
  file { '/etc/profile.d/limits.sh':
    content => epp('profile/limits.sh.epp', { 'memory' => $facts['memory']['system']['total_bytes'], 'cores' => $facts['processors']['count'] }),
  }

  @@host { $facts['networking']['fqdn']:
    ip           => $facts['networking']['ip'],
    host_aliases => [$facts['networking']['hostname'], "${facts['networking']['hostname']}.internal"],
    tag          => [$facts['datacenter'], 'cloud'],
  }
  Host <<| tag == 'cloud' |>>
}
