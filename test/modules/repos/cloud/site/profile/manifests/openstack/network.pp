class profile::openstack::network (Enum['ovs', 'ovn'] $driver = 'ovs') {
  class { 'profile::openstack::neutron': driver => $driver, service_plugins => ['router', 'metering', 'qos', 'bgp'] }
  case $driver {
    'ovs': {
      class { 'vswitch::ovs': enable_hw_offload => true, vlan_limit => 2 }
      class { 'neutron::agents::ml2::ovs':
        local_ip => $facts['networking']['ip'], tunnel_types => ['vxlan'], bridge_mappings => ['public:br-ex', 'tenants:br-vlan'], bridge_uplinks => ['br-ex:eth1', 'br-vlan:eth2'],
        extensions => ['qos', 'log'], l2_population => true, arp_responder => true, firewall_driver => 'openvswitch', of_connect_timeout => 60, datapath_type => 'system', enable_distributed_routing => true,
      }
      class { 'neutron::agents::l3': agent_mode => 'dvr_snat', ha_enabled => true, ha_vrrp_auth_password => 'vrrp', availability_zone => 'az1', extensions => 'snat_log' }
      class { 'neutron::agents::dhcp': enable_isolated_metadata => true, enable_force_metadata => true, dnsmasq_config_file => '/etc/dnsmasq-neutron.conf', dnsmasq_dns_servers => ['10.0.0.2', '10.0.0.3'], dhcp_broadcast_reply => true }
      class { 'neutron::agents::metadata': shared_secret => 'meta', metadata_host => $profile::openstack::vip, metadata_workers => 2 }
      class { 'neutron::agents::metering': interface_driver => 'openvswitch', measure_interval => 30, report_interval => 300 }
      class { 'neutron::agents::bgp_dragent': bgp_router_id => $facts['networking']['ip'] }
      if $facts['os']['family'] == 'RedHat' { class { 'neutron::agents::vpnaas': vpn_device_driver => 'neutron.services.vpn.device_drivers.libreswan_ipsec.LibreSwanDriver' } }
      neutron::plugins::ovs::bridge { 'storage:br-st': }
      neutron::plugins::ovs::port { 'br-st:eth3': }
    }
    default: {
      class { 'neutron::plugins::ml2::ovn': ovn_nb_connection => ['ssl:10.0.0.11:6641', 'ssl:10.0.0.12:6641'], ovn_sb_connection => 'ssl:10.0.0.11:6642', ovn_nb_private_key => '/k', ovn_nb_certificate => '/c', ovn_nb_ca_cert => '/ca', ovn_emit_need_to_frag => true, dns_servers => ['9.9.9.9', '1.1.1.1'] }
      class { 'ovn::northd': dbs_listen_ip => $facts['networking']['ip'], dbs_cluster_local_addr => $facts['networking']['ip'], dbs_cluster_remote_addr => '10.0.0.12' }
      class { 'ovn::controller': ovn_remote => 'ssl:10.0.0.11:6642', ovn_encap_ip => $facts['networking']['ip'], ovn_bridge_mappings => ['public:br-ex', 'tenants:br-vlan'], bridge_interface_mappings => ['br-ex:eth1', 'br-vlan:bond0'], ovn_chassis_mac_map => { 'public' => 'aa:bb:cc:dd:ee:f1' }, hostname => $facts['networking']['fqdn'] }
      class { 'neutron::agents::ovn_metadata': shared_secret => 'meta', metadata_host => $profile::openstack::vip, ovn_sb_connection => 'ssl:10.0.0.11:6642', ovsdb_connection => 'tcp:127.0.0.1:6640', ovn_sb_private_key => '/k' }
    }
  }
  vs_bridge { ['br-test', 'br-mirror']: ensure => present, external_ids => 'owner=ops' }
  vs_config { 'external_ids:x': value => 'y' }
}
