class profile::openstack::sweeps::designate {
  class { 'designate': default_transport_url => $profile::openstack::transport, rabbit_use_ssl => true, root_helper => 'sudo' }
  class { 'designate::api': service_name => 'httpd', api_base_uri => "https://${profile::openstack::public}:9001", auth_strategy => 'keystone', enable_api_v2 => true, enable_api_admin => true, default_limit_v2 => 20, enabled_extensions_admin => ['quotas', 'reports'] }
  class { 'designate::wsgi::apache': * => $profile::openstack::wsgi }
  class { 'designate::central': managed_resource_email => 'dns@example.com', default_pool_id => '794ccc2c-d751-44fe-b57f-8894c9f5c842', min_ttl => 300, workers => 2 }
  class { 'designate::mdns': listen => "${facts['networking']['ip']}:5354", workers => 2 }
  class { 'designate::producer': workers => 2 }
  class { 'designate::producer_task::zone_purge': time_threshold => 604800, batch_size => 100 }
  class { 'designate::worker': workers => 4, threads => 100 }
  class { 'designate::sink': enabled_notification_handlers => ['nova_fixed', 'neutron_floatingip'] }
  class { 'designate::coordination': backend_url => 'redis://x' }
  class { 'designate::backend::bind9': rndc_config_file => '/etc/rndc.conf', rndc_key_file => '/etc/rndc.key', ns_records => { 1 => 'ns1.example.com.', 2 => 'ns2.example.com.' }, nameservers => ['10.0.0.53', '10.0.0.54'], bind9_hosts => ['10.0.0.53', '10.0.0.54'], mdns_hosts => ['10.0.0.21'], configure_bind => false }
  class { 'designate::network_api::neutron': endpoints => ["RegionOne|https://${profile::openstack::public}:9696"] }
  class { 'designate::quota': quota_zones => 100 }
}
