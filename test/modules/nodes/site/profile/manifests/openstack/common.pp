class profile::openstack::common(Hash $sysctls = {}, String $release = 'antelope') {
  if $facts['os']['family'] == 'Debian' {
    class { 'openstack_extras::repo::debian::debian': release => $release }
  }
  create_resources('sysctl::value', $sysctls, { 'target' => '/etc/sysctl.d/50-openstack.conf' })
  file { '/root/openrc': mode => '0600', content => epp('profile/openrc.epp', { 'password' => Sensitive('adm1n'), 'region' => 'RegionOne' }) }
}
