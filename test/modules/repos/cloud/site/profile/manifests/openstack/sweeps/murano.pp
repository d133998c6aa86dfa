class profile::openstack::sweeps::murano {
  class { 'murano': default_transport_url => $profile::openstack::transport, admin_password => 'ap', service_host => $facts['networking']['ip'], use_ssl => true, cert_file => '/c', key_file => '/k', ca_file => '/ca', use_neutron => true, rabbit_own_host => '10.0.0.5', rabbit_own_password => 'o' }
  class { 'murano::api': workers => 2 }
  class { 'murano::engine': workers => 3 }
  class { 'murano::dashboard': }
  class { 'murano::cfapi': tenant => 'services' }
  class { 'murano::client': }
  murano::application { 'io.murano': package_ensure => present }
}
