class profile::openstack::octavia (Enum['amphora', 'ovn', 'both'] $providers = 'both') {
  include profile::openstack
  class { 'octavia::db': database_connection => profile::db('octavia') }
  class { 'octavia': default_transport_url => $profile::openstack::transport, rabbit_use_ssl => true, topic => 'octavia-rpc' }
  class { 'octavia::logging': debug => true, log_dir => '/var/log/octavia' }
  class { 'octavia::keystone::authtoken': password => profile::service_password('octavia'), * => $profile::openstack::keystone }
  class { 'octavia::service_auth': password => profile::service_password('octavia'), auth_url => $profile::openstack::auth_url, username => 'octavia', project_name => 'services' }
  class { 'octavia::api': service_name => 'httpd', enabled_provider_drivers => { 'amphora' => 'Amphora', 'ovn' => 'OVN' }, provider_drivers => ['amphora: The Amphora driver', 'ovn: OVN'], sync_db => true, default_provider_driver => 'amphora', allow_tls_terminated_listeners => true, api_v2_enabled => true }
  class { 'octavia::wsgi::apache': workers => 2, * => $profile::openstack::wsgi }
  class { 'octavia::certificates': ca_private_key_passphrase => 'pass', client_cert => '/c', client_ca => '/cca', ca_certificate => '/ca', ca_private_key => '/k', server_certs_key_passphrase => 'insecure-key-do-not-use-this-key', cert_generator => 'local_cert_generator', cert_manager => 'barbican_cert_manager' }
  class { 'octavia::networking': allow_vip_network_id => true, max_retries => 30 }
  class { 'octavia::controller': amp_image_tag => 'amphora', amp_image_owner_id => 'o', amp_secgroup_list => ['lb-mgmt-sec-grp'], amp_boot_network_list => ['n1', 'n2'], loadbalancer_topology => 'ACTIVE_STANDBY', controller_ip_port_list => ['10.0.0.1:5555', '10.0.0.2:5555'], connection_max_retries => 240, amphora_driver => 'amphora_haproxy_rest_driver', compute_driver => 'compute_nova_driver', network_driver => 'allowed_address_pairs_driver', timeout_client_data => 50000, vrrp_advert_int => 1 }
  class { 'octavia::worker': workers => 2, nova_flavor_config => { 'vcpus' => 1, 'ram' => 1024, 'disk' => 3 }, manage_nova_flavor => true, amp_project_name => 'services', key_path => '/etc/octavia/.ssh/key', manage_keygen => false }
  class { 'octavia::health_manager': heartbeat_key => 'hb', ip => '172.16.0.2', health_update_threads => 4 }
  class { 'octavia::housekeeping': cleanup_interval => 60 }
  class { ['octavia::driver_agent', 'octavia::glance', 'octavia::neutron', 'octavia::nova', 'octavia::cinder', 'octavia::client']: }
  class { 'octavia::task_flow': engine => 'parallel', jobboard_enabled => true, jobboard_backend_hosts => ['10.0.0.5', '10.0.0.6'] }
  class { 'octavia::quota': }
  class { 'octavia::audit': enabled => true }
  if $providers in ['ovn', 'both'] { class { 'octavia::provider::ovn': ovn_nb_connection => ['ssl:1:6641', 'ssl:2:6641'], ovn_sb_connection => 'x' } }
}
