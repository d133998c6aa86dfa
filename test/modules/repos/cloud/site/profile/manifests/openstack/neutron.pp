class profile::openstack::neutron (
  Enum['ovs', 'ovn', 'linuxbridge'] $driver = 'ovn',
  Boolean $is_server = false,
  Array[String] $service_plugins = ['ovn-router', 'qos', 'trunk', 'segments'],
) {
  include profile::openstack
    class { 'neutron::policy': policies => { 'n' => { 'key' => 'create_network:shared', 'value' => 'rule:admin_only' } } }
  class { 'neutron':
    default_transport_url => $profile::openstack::transport, notification_driver => 'messagingv2',
    core_plugin => 'ml2', service_plugins => $service_plugins, bind_host => $facts['networking']['ip'],
    global_physnet_mtu => 9000, dns_domain => 'cloud.example.com.', rabbit_use_ssl => true, kombu_ssl_ca_certs => '/etc/ssl/certs/cloud-ca.pem', use_ssl => false, max_allowed_address_pair => 20,
  }
  class { 'neutron::logging': debug => true, log_dir => '/var/log/neutron' }
  if $is_server {
    class { 'neutron::db': database_connection => profile::db('neutron'), database_max_pool_size => 20, database_max_overflow => 50 }
    class { 'neutron::keystone::authtoken': password => profile::service_password('neutron'), * => $profile::openstack::keystone }
    class { 'neutron::server':
      sync_db => true, api_workers => $facts['os_workers'], rpc_workers => 2, enable_proxy_headers_parsing => true, 
      l3_ha => $driver == 'ovs', max_l3_agents_per_router => 2, igmp_snooping_enable => true,
      ovs_integration_bridge => 'br-int', allow_automatic_l3agent_failover => true,
    }
    class { 'neutron::server::notifications':  }
    class { 'neutron::server::notifications::nova': password => profile::service_password('nova'), auth_url => $profile::openstack::auth_url }
    class { 'neutron::server::placement': password => profile::service_password('placement'), auth_url => $profile::openstack::auth_url }
    class { 'neutron::quota': quota_network => 20, quota_router => -1, quota_security_group_rule => 500 }
    class { 'neutron::cors': allowed_origin => "https://${profile::openstack::public}" }
    class { 'neutron::designate': password => profile::service_password('designate'), url => "https://${profile::openstack::public}:9001/v2", auth_url => $profile::openstack::auth_url, allow_reverse_dns_lookup => true, ipv4_ptr_zone_prefix_size => 24 }
  }
  class { 'neutron::plugins::ml2':
    type_drivers => ['local', 'flat', 'vlan', 'vxlan', 'geneve'],
    tenant_network_types => [$driver ? { 'ovn' => 'geneve', default => 'vxlan' }, 'vlan'],
    mechanism_drivers => $driver ? { 'ovn' => ['ovn'], 'ovs' => ['openvswitch', 'l2population', 'sriovnicswitch'], default => ['linuxbridge'] },
    flat_networks => ['public', 'storage'], network_vlan_ranges => ['tenants:100:999', 'tenants:2000:2100', 'public'], vni_ranges => ['1:1000', '20000:30000'], tunnel_id_ranges => '10:20', vxlan_group => '239.1.1.1',
    extension_drivers => ['port_security', 'dns', 'qos'], physical_network_mtus => ['public:1500', 'tenants:9000'], overlay_ip_version => 4, max_header_size => 38,
  }
  neutron_config { 'ovs/x_snooping': value => true }
}
