class profile::openstack::compute (
  Enum['kvm', 'qemu'] $virt = 'kvm',
  Optional[Enum['rbd', 'qcow2']] $images = undef,
  Array[Hash] $passthrough = [],
) {
  include profile::openstack::nova
  unless $passthrough.empty {
    class { 'nova::compute::pci': passthrough => $passthrough }
    class { 'nova::compute::mdev': mdev_types => { 'nvidia-35' => { 'device_addresses' => ['0000:84:00.0'] } } }
    class { 'nova::compute::provider': custom_inventories => [{ 'uuid' => '$COMPUTE_NODE', 'inventories' => { 'CUSTOM_GPU' => { 'total' => 2 } }, 'traits' => ['CUSTOM_FAST'] }] }
  }
  class { 'nova::compute':
    vnc_enabled => true, vncproxy_host => $profile::openstack::public, vncserver_proxyclient_address => $facts['networking']['ip'],
    instance_usage_audit => true, instance_usage_audit_period => 'hour', force_raw_images => $images == 'rbd', reserved_host_memory => 4096, resume_guests_state_on_host_boot => true,
    cpu_dedicated_set => ['2-9', '12-19'], cpu_shared_set => ['0', '1', '10', '11'], max_disk_devices_to_attach => 16, heal_instance_info_cache_interval => 300,
  }
  class { 'nova::migration::libvirt': transport => 'tls', listen_address => $facts['networking']['ip'], live_migration_inbound_addr => $facts['networking']['ip'], live_migration_permit_post_copy => true, ca_file => '/ca' }
  class { 'nova::compute::libvirt': virt_type => $virt, cpu_mode => 'custom', cpu_models => ['Cascadelake-Server'], cpu_model_extra_flags => 'pcid,ssbd', migration_support => true, swtpm_enabled => true, hw_machine_type => { 'x86_64' => 'q35' }, images_type => $images, disk_cachemodes => $images ? { 'rbd' => ['network=writeback'], default => ['file=directsync', 'block=none'] }, max_queues => 4, num_pcie_ports => 16 }
  class { 'nova::migration::qemu': configure_qemu => true, migration_port_min => 49200 }
  class { 'nova::compute::libvirt_guests': enabled => true, shutdown_timeout => 600 }
  class { 'nova::compute::libvirt::qemu': configure_qemu => true, max_files => 32768, memory_backing_dir => '/dev/shm', vnc_tls => true }
  class { 'nova::compute::libvirt::libvirtd': log_level => 1, max_clients => 1024 }
  class { 'nova::compute::image_cache': manager_interval => 2400, precache_concurrency => 5 }
  if $images == 'rbd' {
    class { 'nova::compute::rbd': libvirt_images_rbd_pool => 'vms', libvirt_rbd_user => 'cinder', libvirt_rbd_secret_uuid => '457eb676-33da-42ec-9a8c-9293d545c337', libvirt_rbd_secret_key => 'AQB==', ephemeral_storage => false }
    include profile::ceph::client
  }
  class { 'profile::openstack::neutron': driver => lookup('neutron_driver', String, 'first', 'ovs') }
  if lookup('neutron_driver', String, 'first', 'ovs') == 'ovs' {
    class { 'neutron::agents::ml2::ovs': local_ip => $facts['networking']['ip'], tunnel_types => ['vxlan', 'geneve'], bridge_mappings => ['tenants:br-vlan'], enable_distributed_routing => true, l2_population => true }
    class { 'neutron::agents::ml2::sriov': physical_device_mappings => ['tenants:eth4', 'tenants:eth5'], number_of_vfs => ['eth4:8', 'eth5:4'], polling_interval => 5, exclude_devices => ['eth4:0000:07:00.2'] }
    class { 'neutron::agents::l3': agent_mode => 'dvr' }
  } else {
    class { 'ovn::controller': ovn_remote => 'tcp:10.0.0.11:6642', ovn_encap_ip => $facts['networking']['ip'] }
    class { 'neutron::agents::ovn_metadata': shared_secret => 'meta', metadata_host => $profile::openstack::vip, ovn_sb_connection => 'tcp:10.0.0.11:6642' }
  }
  class { 'ceilometer': telemetry_secret => 'tele', default_transport_url => $profile::openstack::transport }
  class { 'ceilometer::agent::service_credentials': password => profile::service_password('ceilometer'), auth_url => $profile::openstack::auth_url }
  class { 'ceilometer::agent::polling': central_namespace => false, ipmi_namespace => true, manage_polling => true, polling_meters => ['cpu', 'memory.usage', 'disk.root.size'], instance_discovery_method => 'libvirt_metadata' }
}
