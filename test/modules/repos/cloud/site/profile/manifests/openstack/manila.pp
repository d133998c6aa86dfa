class profile::openstack::manila (Hash[String, Hash] $shares = {}) {
  include profile::openstack
  class { 'manila::db': database_connection => profile::db('manila') }
  class { 'manila': default_transport_url => $profile::openstack::transport, rabbit_use_ssl => true, host => 'hostgroup', storage_availability_zone => 'az1' }
  class { 'manila::logging': debug => true }
  class { 'manila::keystone::authtoken': password => profile::service_password('manila'), * => $profile::openstack::keystone }
  class { 'manila::api': service_name => 'httpd', enabled_share_protocols => ['NFS', 'CEPHFS'], default_share_type => 'default', enable_proxy_headers_parsing => true }
  class { 'manila::wsgi::apache': workers => 2, * => $profile::openstack::wsgi }
  class { 'manila::scheduler': scheduler_driver => 'manila.scheduler.drivers.filter.FilterScheduler' }
  class { 'manila::share': }
  class { 'manila::network::neutron': password => profile::service_password('neutron'), auth_url => $profile::openstack::auth_url, network_plugin_ipv6_enabled => false }
  class { 'manila::compute::nova': password => profile::service_password('nova'), auth_url => $profile::openstack::auth_url }
  class { 'manila::volume::cinder': password => profile::service_password('cinder'), auth_url => $profile::openstack::auth_url }
  class { 'manila::image::glance': password => profile::service_password('glance'), auth_url => $profile::openstack::auth_url }
  class { 'manila::backends': enabled_share_backends => $shares.keys }
  $shares.each |$name, $share| { create_resources("manila::backend::${share['kind']}", { $name => $share - 'kind' }) }
  class { 'manila::ganesha': }
  class { 'manila::quota': shares => 20 }
  class { 'manila::cron::db_purge': minute => 3 }
  class { 'manila::coordination': backend_url => 'redis://x' }
  manila_type { 'default': driver_handles_share_servers => false, snapshot_support => true, create_share_from_snapshot_support => true }
}
