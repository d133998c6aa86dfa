# OpenStack: a cloud's control plane, computes, storage and network nodes.
node 'identity01.example.com' {
  include profile::openstack::common
  class { 'keystone::db': database_connection => 'mysql+pymysql://keystone:secret@10.0.0.10/keystone?charset=utf8' }
  class { 'keystone':
    service_name               => 'httpd',
    enable_fernet_setup        => true,
    fernet_keys                => { '/etc/keystone/fernet-keys/0' => { 'content' => 'c1' }, '/etc/keystone/fernet-keys/1' => { 'content' => 'c2' } },
    credential_keys            => { '/etc/keystone/credential-keys/0' => { 'content' => 'd1' } },
    enable_credential_setup    => true,
    using_domain_config        => true,
    manage_policyrcd           => true,
    notification_opt_out       => ['identity.authenticate.success', 'identity.authenticate.failed'],
    default_transport_url      => os_transport_url({ 'transport' => 'rabbit', 'hosts' => ['mq1', 'mq2'], 'port' => '5672', 'username' => 'openstack', 'password' => 's3cret/', 'ssl' => '0' }),
  }
  class { 'keystone::bootstrap': password => 'boot', public_url => 'https://identity.example.com:5000', internal_url => 'http://10.0.0.10:5000' }
  class { 'keystone::wsgi::apache': ssl => true, ssl_cert => '/etc/ssl/c.pem', ssl_key => '/etc/ssl/k.pem', workers => 4, servername => 'identity.example.com' }
  class { 'keystone::cors': allowed_origin => ['http://a', 'http://b'], max_age => 3600 }
  keystone_tenant { ['beavers', 'lodge']: ensure => present, enabled => true }
  keystone_role { ['auditor', 'observer']: ensure => present }
  keystone_config { 'eventlet_server/bind_host': value => '10.0.0.21'; 'DEFAULT/admin_token': value => Sensitive('t0ken'), secret => true }
  keystone::resource::service_identity { 'beaver':
    configure_user => true, configure_service => true, service_type => 'beaver', service_description => 'Beavers',
    password => 'p', email => 'beaver@localhost', tenant => 'services', public_url => 'http://b/', admin_url => 'http://b/', internal_url => 'http://b/',
  }
  keystone::ldap_backend { 'corp': url => 'ldap://ldap.example.com', user => 'cn=admin', password => 'x', suffix => 'dc=example', user_tree_dn => 'ou=Users' }
}

node /^api\d+\.example\.com$/ {
  include profile::openstack::common
  class { 'glance::api::db': database_connection => 'mysql+pymysql://glance:g@10.0.0.10/glance' }
  class { 'glance::api::authtoken': password => 'g', www_authenticate_uri => 'http://10.0.0.10:5000', memcached_servers => ['10.0.0.11:11211', '10.0.0.12:11211'] }
  class { 'glance::api': enabled_backends => ['fast:rbd', 'slow:file', 'objects:swift'], default_backend => 'fast', workers => 2 }
  glance::backend::multistore::rbd { 'fast': rbd_store_pool => 'images', rbd_store_user => 'glance' }
  glance::backend::multistore::file { 'slow': filesystem_store_datadir => '/srv/images' }
  glance::backend::multistore::swift { 'objects': swift_store_user => 'services:glance', swift_store_key => 'k' }
  class { 'placement': }
  class { 'placement::db': database_connection => 'mysql+pymysql://placement:p@10.0.0.10/placement' }
  class { 'placement::keystone::authtoken': password => 'p' }
  class { 'placement::wsgi::apache': ssl => false, bind_host => $facts['networking']['ip'] }
  class { 'nova::db': database_connection => 'mysql+pymysql://nova:n@10.0.0.10/nova', api_database_connection => 'mysql+pymysql://nova:n@10.0.0.10/nova_api' }
  class { 'nova': default_transport_url => 'rabbit://a:b@mq1:5672/', purge_config => true }
  class { 'nova::keystone::authtoken': password => 'n' }
  class { 'nova::api': service_name => 'httpd', enabled_apis => ['osapi_compute'] }
  class { 'nova::wsgi::apache_api': ssl => false }
  include nova::conductor
  class { 'nova::scheduler': workers => 3 }
  class { 'nova::scheduler::filter': scheduler_enabled_filters => ['AvailabilityZoneFilter', 'ComputeFilter'], scheduler_weight_classes => 'all' }
  class { 'nova::vncproxy': host => '0.0.0.0', vencrypt_key => '/k', vencrypt_cert => '/c', vencrypt_ca => '/ca', allow_vencrypt => true }
  class { 'nova::cell_v2::simple_setup': transport_url => 'rabbit://a:b@mq1:5672/', database_connection => 'mysql+pymysql://nova:n@10.0.0.10/nova' }
  class { 'nova::quota': instances => 200, cores => 400 }
  class { 'nova::network::neutron': auth_url => 'http://10.0.0.10:5000/v3', password => 'q', default_floating_pool => 'public' }
  nova_flavor { 'm1.tiny': ensure => present, id => '1', ram => '512', disk => '1', vcpus => '1' }
  nova_config { 'wsgi/secure_proxy_ssl_header': value => 'HTTP_X_FORWARDED_PROTO' }
}

node /^compute(\d+)\.(.*)$/ {
  include profile::openstack::common
  class { 'nova': default_transport_url => 'rabbit://a:b@mq1:5672/', cpu_allocation_ratio => '8.0' }
  class { 'nova::compute': vnc_enabled => true, vncproxy_host => "console${1}.${2}", force_config_drive => true, instance_usage_audit => true, instance_usage_audit_period => 'hour' }
  class { 'nova::compute::libvirt': virt_type => 'kvm', cpu_mode => 'custom', cpu_models => ['Cascadelake-Server-noTSX', 'Skylake-Server-IBRS'], migration_support => true, images_type => 'rbd', disk_cachemodes => ['file=directsync', 'block=none'] }
  class { 'nova::compute::rbd': libvirt_rbd_user => 'nova', libvirt_images_rbd_pool => 'vms', libvirt_rbd_secret_uuid => '4f515eff-47e4-425c-b24d-9c6adc56401c', libvirt_rbd_secret_key => 'AQ==' }
  class { 'neutron': core_plugin => 'ml2', service_plugins => ['router', 'qos', 'trunk'], default_transport_url => 'rabbit://a:b@mq1:5672/', bind_host => '10.0.0.2' }
  class { 'neutron::agents::ml2::ovs': local_ip => $facts['networking']['ip'], tunnel_types => ['vxlan', 'gre'], bridge_mappings => ['physnet1:br-ex', 'physnet2:br-vlan'], bridge_uplinks => ['br-ex:eth1', 'br-vlan:eth2'], extensions => ['qos', 'fdb'], firewall_driver => 'openvswitch' }
  class { 'ceilometer': telemetry_secret => 'tele', default_transport_url => 'rabbit://a:b@mq1:5672/' }
  class { 'ceilometer::agent::polling': central_namespace => false, ipmi_namespace => false, manage_polling => true, polling_interval => 300 }
}

node 'network01.example.com' {
  include profile::openstack::common
  class { 'neutron': core_plugin => 'ml2', service_plugins => ['ovn-router', 'qos'], dns_domain => 'example.org', rabbit_ha_queues => true, default_transport_url => 'rabbit://a:b@mq1:5672/' }
  class { 'neutron::db': database_connection => 'mysql+pymysql://neutron:n@10.0.0.10/neutron' }
  class { 'neutron::keystone::authtoken': password => 'n' }
  class { 'neutron::server': sync_db => true, api_workers => 4, rpc_workers => 2, l3_ha => true, max_l3_agents_per_router => 3, service_providers => ['LOADBALANCERV2:octavia:neutron_lbaas.services.octavia', 'VPN:openswan:x'] }
  class { 'neutron::server::notifications': }
  class { 'neutron::server::notifications::nova': password => 'n' }
  class { 'neutron::plugins::ml2': type_drivers => ['flat', 'vlan', 'geneve'], tenant_network_types => ['geneve'], mechanism_drivers => ['ovn'], flat_networks => ['physnet1'], network_vlan_ranges => ['physnet1:1000:2999', 'physnet2'], vni_ranges => ['10:100', '500:900'], extension_drivers => ['port_security', 'qos'] }
  class { 'neutron::plugins::ml2::ovn': ovn_nb_connection => 'tcp:10.0.0.3:6641', ovn_sb_connection => 'tcp:10.0.0.3:6642', ovn_metadata_enabled => true }
  class { 'ovn::northd': dbs_listen_ip => '0.0.0.0' }
  class { 'ovn::controller': ovn_remote => 'tcp:10.0.0.3:6642', ovn_encap_ip => '10.0.0.21', bridge_interface_mappings => ['br-ex:eth1'], ovn_bridge_mappings => ['physnet1:br-ex'] }
  class { 'neutron::agents::l3': agent_mode => 'dvr_snat', ha_enabled => true, extensions => ['vpnaas'] }
  class { 'neutron::agents::dhcp': enable_isolated_metadata => true, dnsmasq_dns_servers => ['1.1.1.1', '9.9.9.9'] }
  class { 'neutron::agents::metadata': shared_secret => Sensitive('sharing'), metadata_host => '10.0.0.9' }
  neutron_network { 'public': ensure => present, router_external => 'True', tenant_name => 'admin', provider_network_type => 'flat' }
  neutron_subnet { 'public_subnet': ensure => present, cidr => '172.24.4.0/24', network_name => 'public', allocation_pools => ['start=172.24.4.10,end=172.24.4.100'] }
  vs_bridge { 'br-tmp': ensure => present, external_ids => 'bridge-id=br-tmp' }
}

node 'volume01.example.com' {
  include profile::openstack::common
  class { 'cinder::db': database_connection => 'mysql+pymysql://cinder:c@10.0.0.10/cinder' }
  class { 'cinder': default_transport_url => 'rabbit://a:b@mq1:5672/', storage_availability_zone => 'az1' }
  class { 'cinder::keystone::authtoken': password => 'c' }
  class { 'cinder::api': service_workers => 2, default_volume_type => 'fast', service_name => 'httpd' }
  class { 'cinder::wsgi::apache': ssl => false, workers => 1 }
  class { 'cinder::scheduler': scheduler_driver => 'cinder.scheduler.filter_scheduler.FilterScheduler' }
  class { 'cinder::volume': volume_clear => 'zero', cluster => 'c1' }
  class { 'cinder::backends': enabled_backends => ['lvm1', 'rbd1', 'netapp1'] }
  cinder::backend::iscsi { 'lvm1': target_ip_address => '10.0.0.21', volume_group => 'vg0', extra_options => { 'lvm1/foo' => { 'value' => 'bar' } } }
  cinder::backend::rbd { 'rbd1': rbd_pool => 'volumes', rbd_user => 'cinder', manage_volume_type => true, extra_options => { 'rbd1/x' => { 'value' => 1 } } }
  cinder::backend::netapp { 'netapp1': netapp_login => 'n', netapp_password => 'p', netapp_server_hostname => 'h', nfs_shares => ['10.0.0.1:/v1', '10.0.0.1:/v2'] }
  cinder_type { 'fast': ensure => present, properties => ['volume_backend_name=rbd1', 'x=y'] }
  class { 'cinder::quota': quota_volumes => 100 }
  class { 'manila': default_transport_url => 'rabbit://a:b@mq1:5672/' }
  class { 'manila::backends': enabled_share_backends => ['gen1', 'ceph1'] }
  manila::backend::generic { 'gen1': driver_handles_share_servers => true, share_volume_fstype => 'ext4' }
  manila::backend::cephfs { 'ceph1': cephfs_ganesha_server_ip => '10.0.0.9', cephfs_protocol_helper_type => 'NFS' }
  manila::backend::service_instance { 'gen1': create_service_image => false, service_instance_user => 'u', service_instance_password => 'p' }
}

node 'object01.example.com' {
  class { 'swift': swift_hash_path_suffix => 'suffix', swift_hash_path_prefix => 'prefix' }
  class { 'swift::storage::all': storage_local_net_ip => '10.0.0.21', object_pipeline => ['healthcheck', 'recon', 'object-server'], container_pipeline => ['healthcheck', 'container-server'], account_pipeline => ['healthcheck', 'account-server'], devices => '/srv/node' }
  swift::storage::filter::recon { ['object', 'container', 'account']: }
  swift::storage::filter::healthcheck { ['object', 'container', 'account']: }
  class { 'swift::proxy': proxy_local_net_ip => '10.0.0.21', workers => 2, account_autocreate => true, pipeline => ['catch_errors', 'healthcheck', 'cache', 'ratelimit', 'authtoken', 'keystone', 'proxy-logging', 'proxy-server'] }
  include swift::proxy::catch_errors
  include swift::proxy::healthcheck
  include swift::proxy::cache
  class { 'memcached': listen_ip => '127.0.0.1' }
  class { 'swift::proxy::ratelimit': clock_accuracy => 1000, rate_buffer_seconds => 5 }
  class { 'swift::proxy::authtoken': password => 's', www_authenticate_uri => 'http://10.0.0.10:5000' }
  class { 'swift::proxy::keystone': operator_roles => ['admin', 'SwiftOperator'] }
  include swift::proxy::proxy_logging
  class { 'swift::ringbuilder': part_power => 14, replicas => 3, min_part_hours => 1 }
  Ring_object_device <<| |>>
  ring_object_device { '10.0.0.21:6000/1': zone => 1, weight => 1 }
  ring_container_device { '10.0.0.21:6001/1': zone => 1, weight => 1 }
  ring_account_device { '10.0.0.21:6002/1': zone => 1, weight => 1 }
  swift::ringsync { ['object', 'container', 'account']: ring_server => '10.0.0.20' }
}

node 'orchestration01.example.com' {
  include profile::openstack::common
  class { 'heat::db': database_connection => 'mysql+pymysql://heat:h@10.0.0.10/heat' }
  class { 'heat::keystone::authtoken': password => 'h' }
  class { 'heat': default_transport_url => 'rabbit://a:b@mq1:5672/', region_name => 'r1' }
  class { 'heat::keystone::domain': domain_password => 'd' }
  class { 'heat::engine': auth_encryption_key => '1234567890AZERTYUIOPMLKJHGFDSQ12', num_engine_workers => 2 }
  class { 'heat::api': service_name => 'httpd' }
  class { 'heat::wsgi::apache_api': ssl => false }
  class { 'heat::cron::purge_deleted': age => 14, age_type => 'days' }
  class { 'magnum::db': database_connection => 'mysql+pymysql://m:m@h/magnum' }
  class { 'magnum': default_transport_url => 'rabbit://a:b@mq1:5672/' }
  class { 'magnum::keystone::authtoken': password => 'm' }
  class { 'magnum::api': service_name => 'httpd' }
  class { 'mistral': default_transport_url => 'rabbit://a:b@mq1:5672/' }
  class { 'barbican::db': database_connection => 'mysql+pymysql://b:b@h/barbican' }
  class { 'barbican':  }
  class { 'barbican::keystone::authtoken': password => 'b' }
  class { 'barbican::plugins::simple_crypto': simple_crypto_plugin_kek => 'a2V5', global_default => true }
  class { 'designate::db': database_connection => 'mysql+pymysql://d:d@h/designate' }
  class { 'designate': default_transport_url => 'rabbit://a:b@mq1:5672/' }
  class { 'designate::backend::bind9': rndc_config_file => '/etc/rndc.conf', configure_bind => true, nameservers => ['10.0.0.5'], bind9_hosts => ['10.0.0.5', 'fd00::5'] }
  class { 'ironic::db': database_connection => 'mysql+pymysql://i:i@h/ironic' }
  class { 'ironic': default_transport_url => 'rabbit://a:b@mq1:5672/', my_ip => '10.0.0.21' }
  class { 'ironic::conductor': enabled_hardware_types => ['ipmi', 'redfish'], cleaning_network => 'clean' }
  class { 'octavia::db': database_connection => 'mysql+pymysql://o:o@h/octavia' }
  class { 'octavia': default_transport_url => 'rabbit://a:b@mq1:5672/' }
  class { 'octavia::certificates': ca_private_key_passphrase => 'not-secure', client_cert => '/c', ca_certificate => '/ca', ca_private_key => '/k', server_certs_key_passphrase => 'insecure-key-do-not-use-this-key' }
}

node 'dashboard01.example.com' {
  class { 'horizon':
    secret_key => 'elj1IWiLoWHgcyYxFVLj7cM5rGOOxWl0', cache_server_ip => ['10.0.0.11', '10.0.0.12'], allowed_hosts => ['*'], 
    neutron_options => { 'enable_ha_router' => true, 'enable_quotas' => false }, cinder_options => { 'enable_backup' => true }, instance_options => { 'create_volume' => true, 'disable_image' => false },
    available_regions => [['http://r1:5000/v3', 'R1'], ['http://r2:5000/v3', 'R2']], session_timeout => 3600, customization_module => 'c.m', bind_address => '0.0.0.0', wsgi_processes => 4, redirect_type => 'permanent', vhost_extra_params => { 'add_listen' => false },
    password_validator => '^.{8,}$', timezone => 'Europe/Berlin', api_versions => { 'identity' => 3, 'image' => 2.6 }, horizon_upload_mode => 'direct',
  }
  class { 'horizon::dashboards::heat': enable_user_pass => true }
  horizon::dashboard { 'designate': }
}

node 'telemetry01.example.com' {
  class { 'gnocchi': coordination_url => 'redis://h:6379' }
  class { 'gnocchi::storage::ceph': ceph_username => 'gnocchi', ceph_keyring => '/etc/ceph/k' }
  class { 'gnocchi::metricd': workers => 4 }
  class { 'gnocchi::statsd': resource_id => '07f26121-5777-48ba-8a0b-d70468133dd9', archive_policy_name => 'high', flush_delay => '100' }
  class { 'aodh': default_transport_url => 'rabbit://a:b@mq1:5672/', notification_topics => ['n1', 'n2'] }
  class { 'aodh::evaluator': evaluation_interval => 30 }
  class { 'ceilometer': telemetry_secret => 'tele', default_transport_url => 'rabbit://a:b@mq1:5672/' }
  class { 'ceilometer::agent::notification': manage_event_pipeline => true, event_pipeline_publishers => ['gnocchi://', 'panko://'], manage_pipeline => true }
  class { 'cloudkitty': default_transport_url => 'rabbit://a:b@mq1:5672/' }
  class { 'sahara': default_transport_url => 'rabbit://a:b@mq1:5672/', plugins => ['vanilla', 'spark'] }
  class { 'tempest': configure_images => false, configure_networks => false, git_clone => false, setup_venv => true, tempest_roles => ['r1'], identity_uri => 'http://k:5000' }
}
