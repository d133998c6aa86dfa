class profile::openstack::sweeps::cloudkitty {
  class { 'cloudkitty': default_transport_url => $profile::openstack::transport, host => $facts['networking']['fqdn'], rabbit_use_ssl => true }
  class { 'cloudkitty::api': service_name => 'httpd', sync_db => true }
  class { 'cloudkitty::wsgi::apache': workers => 2, * => $profile::openstack::wsgi }
  class { 'cloudkitty::orchestrator': coordination_url => 'redis://x', max_workers => 2 }
  class { 'cloudkitty::processor': auth_section => 'keystone_authtoken', region_name => $profile::openstack::region, max_workers => 4 }
  class { 'cloudkitty::storage::influxdb': host => 'influx', password => 'i', use_ssl => true }
  class { 'cloudkitty::fetcher::gnocchi': auth_section => 'x', region_name => 'r' }
  class { 'cloudkitty::keystone::auth': password => 'p', region => $profile::openstack::region }
}
