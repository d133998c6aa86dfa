class profile::openstack::ironic {
  include profile::openstack
  class { 'ironic::db': database_connection => profile::db('ironic') }
  class { ['ironic::glance', 'ironic::neutron', 'ironic::swift', 'ironic::service_catalog', 'ironic::cinder', 'ironic::nova']: auth_url => $profile::openstack::auth_url, password => profile::service_password('ironic') }
  class { 'ironic': default_transport_url => $profile::openstack::transport, rabbit_use_ssl => true, my_ip => $facts['networking']['ip'], rpc_transport => 'oslo', default_resource_class => 'baremetal', notification_level => 'info' }
  class { 'ironic::logging': debug => true }
  class { 'ironic::api::authtoken': password => profile::service_password('ironic'), * => $profile::openstack::keystone }
  class { 'ironic::api': service_name => 'httpd', workers => 2, port => 6385, public_endpoint => "https://${profile::openstack::public}:6385", max_limit => 1000 }
  class { 'ironic::wsgi::apache': * => $profile::openstack::wsgi }
  class { 'ironic::drivers::agent': deploy_logs_collect => 'always', image_download_source => 'http' }
  class { 'ironic::drivers::interfaces': default_boot_interface => 'ipxe', enabled_boot_interfaces => ['pxe', 'ipxe', 'redfish-virtual-media'], enabled_console_interfaces => ['no-console', 'ipmitool-socat'], enabled_deploy_interfaces => ['direct', 'ansible'], enabled_inspect_interfaces => ['inspector', 'no-inspect'], enabled_management_interfaces => ['ipmitool', 'redfish', 'fake'], enabled_network_interfaces => ['flat', 'neutron', 'noop'], enabled_power_interfaces => ['ipmitool', 'redfish', 'fake'], default_raid_interface => 'no-raid' }
  class { 'ironic::drivers::inspector': password => profile::service_password('ironic'), auth_url => $profile::openstack::auth_url }
  class { 'ironic::conductor': enabled_hardware_types => ['ipmi', 'redfish', 'idrac', 'ilo'], cleaning_network => 'clean', cleaning_disk_erase => 'metadata', provisioning_network => 'prov', automated_clean => true, http_url => 'http://10.0.0.21:8080', continue_if_disk_secure_erase_fails => false, default_boot_option => 'local', force_power_state_during_sync => false, power_state_change_timeout => 300 }
  class { 'ironic::drivers::ipmi': command_retry_timeout => 60, use_ipmitool_retries => true }
  class { 'ironic::drivers::pxe': ipxe_timeout => 60, kernel_append_params => 'console=ttyS0', enable_ppc64le => true }
  class { 'ironic::drivers::ansible': ansible_extra_args => '-vvv' }
  class { 'ironic::drivers::redfish': connection_attempts => 10 }
  class { 'ironic::inspector::db': database_connection => profile::url('inspector', 'x', 'h') }
  class { 'ironic::inspector::authtoken': password => profile::service_password('ironic') }
  class { 'ironic::inspector': dnsmasq_ip_subnets => [{ 'ip_range' => '192.168.0.100,192.168.0.120', 'netmask' => '255.255.255.0', 'gateway' => '192.168.0.1', 'tag' => 'subnet1' }, { 'ip_range' => '192.168.1.100,192.168.1.120', 'netmask' => '255.255.255.0', 'gateway' => '192.168.1.1', 'classless_static_routes' => [{ 'destination' => '1.2.3.0/24', 'nexthop' => '192.168.1.2' }] }], dnsmasq_interface => 'br-prov', detect_boot_mode => true, node_not_found_hook => 'enroll', discovery_default_driver => 'ipmi', additional_processing_hooks => 'lldp_basic', default_transport_url => $profile::openstack::transport, enable_ppc64le => true, port_physnet_cidr_map => { '10.10.10.0/24' => 'physnet_a', '2001:db8::/64' => 'physnet_b' } }
  class { 'ironic::inspector::pxe_filter': driver => 'dnsmasq' }
  class { 'ironic::inspector::pxe_filter::dnsmasq': dnsmasq_start_command => 'x' }
  class { 'ironic::pxe': tftp_use_xinetd => $facts['os']['family'] == 'Debian', http_port => 8080, tftp_bind_host => '10.0.0.21', ipxe_name_base => 'ipxe-snponly' }
}
