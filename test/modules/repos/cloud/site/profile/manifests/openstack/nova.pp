# What API nodes and computes share.
class profile::openstack::nova (
  Hash[String, Hash] $flavors = {},
  Boolean $is_api = false,
) {
  include profile::openstack
    class { 'nova::policy': policies => { 'a' => { 'key' => 'os_compute_api:os-shelve', 'value' => 'rule:admin' } } }
  class { 'nova':
    default_transport_url      => $profile::openstack::transport,
    notification_transport_url => $profile::openstack::transport,
    notification_driver        => 'messagingv2',
    my_ip                      => $facts['networking']['ip'],
    state_path                 => '/var/lib/nova',
    lock_path                  => '/var/lock/nova',
    rabbit_use_ssl             => true,
    rabbit_ha_queues           => false,
    amqp_durable_queues        => true,
    kombu_ssl_ca_certs         => '/etc/ssl/certs/cloud-ca.pem',
    cpu_allocation_ratio       => 8.0,
  }
  class { 'nova::logging': debug => false, log_dir => '/var/log/nova', default_log_levels => { 'nova' => 'INFO' } }
  class { 'nova::placement': password => profile::service_password('placement'), auth_url => $profile::openstack::auth_url, region_name => $profile::openstack::region }
  class { 'nova::network::neutron': password => profile::service_password('neutron'), auth_url => $profile::openstack::auth_url, region_name => $profile::openstack::region, vif_plugging_is_fatal => true }
  class { 'nova::keystone::service_user': send_service_user_token => true, password => profile::service_password('nova'), auth_url => $profile::openstack::auth_url }
  class { 'nova::cinder': password => profile::service_password('nova'), auth_url => $profile::openstack::auth_url, os_region_name => $profile::openstack::region }
  class { 'nova::glance': endpoint_override => "https://${profile::openstack::public}:9292", num_retries => 3 }
  class { 'nova::key_manager': backend => 'barbican' }
  class { 'nova::key_manager::barbican': barbican_endpoint => "https://${profile::openstack::public}:9311" }
  class { 'nova::cache': enabled => true, backend => 'dogpile.cache.memcached', memcache_servers => $profile::openstack::memcached }
  if $is_api {
    class { 'nova::db':
      database_connection     => profile::db('nova'),
      api_database_connection => profile::url('nova', $profile::openstack::passwords['nova']['db'], $profile::openstack::db_host, { 'ssl_ca' => '/ca' }),
    }
    class { 'nova::keystone::authtoken': password => profile::service_password('nova'), * => $profile::openstack::keystone }
    class { 'nova::pci': aliases => [{ 'vendor_id' => '10de', 'product_id' => '1eb8', 'device_type' => 'type-PCI', 'name' => 'gpu' }] }
    class { 'nova::api':
      service_name => 'httpd', api_bind_address => $facts['networking']['ip'], enable_proxy_headers_parsing => true, 
      sync_db_api => true, max_limit => 2000, allow_resize_to_same_host => true,
    }
    class { 'nova::wsgi::apache_api': workers => 4, * => $profile::openstack::wsgi }
    class { 'nova::metadata': neutron_metadata_proxy_shared_secret => 'meta', local_metadata_per_cell => false }
    class { 'nova::wsgi::apache_metadata': workers => 2, * => $profile::openstack::wsgi }
    class { 'nova::conductor': workers => $facts['os_workers'] }
    class { 'nova::scheduler': workers => 2, discover_hosts_in_cells_interval => 120, query_placement_for_availability_zone => true }
    class { 'nova::scheduler::filter': scheduler_enabled_filters => ['ComputeFilter', 'ImagePropertiesFilter', 'ServerGroupAntiAffinityFilter', 'PciPassthroughFilter'], cpu_weight_multiplier => 0.5 }
    class { 'nova::vncproxy': host => $facts['networking']['ip'] }
    class { 'nova::serialproxy': serialproxy_host => $facts['networking']['ip'] }
    class { 'nova::vendordata': vendordata_jsonfile_path => '/etc/vendor.json', vendordata_providers => ['StaticJSON', 'DynamicJSON'], vendordata_dynamic_targets => ['join@http://127.0.0.1:9999/v1/'] }
    class { 'nova::cell_v2::simple_setup': }
    class { 'nova::cron::archive_deleted_rows': until_complete => true, purge => true, maxdelay => 600 }
    class { 'nova::cron::purge_shadow_tables': age => 30 }
    class { 'nova::quota': cores => 100, ram => 204800, server_groups => 20 }
    class { 'nova::cors': allowed_origin => ["https://${profile::openstack::public}"], max_age => 600 }
    $flavors.each |$name, $flavor| {
      nova_flavor { $name: ensure => present, * => $flavor, properties => "hw:numa_nodes=${flavor['vcpus']}" }
    }
    nova_aggregate { 'fast': ensure => present, availability_zone => 'az1', metadata => 'ssd=true', hosts => ['cmp1', 'cmp2'] }
    nova_service { 'cmp9': ensure => absent }
  }
}
