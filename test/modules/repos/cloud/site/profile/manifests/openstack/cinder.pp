class profile::openstack::cinder (
  Boolean $is_api = false,
  Hash[String, Struct[{ kind => String, options => Hash }]] $backends = {},
) {
  include profile::openstack
    class { 'cinder::policy': policies => { 'c' => { 'key' => 'volume:create', 'value' => '' } } }
  class { 'cinder::db': database_connection => profile::db('cinder') }
  class { 'cinder::logging': debug => true, log_dir => '/var/log/cinder' }
  class { 'cinder': default_transport_url => $profile::openstack::transport, rabbit_use_ssl => true, kombu_ssl_ca_certs => '/ca', storage_availability_zone => 'az1', default_availability_zone => 'az1', enable_force_upload => true, allow_availability_zone_fallback => true, image_conversion_dir => '/srv/conv' }
  class { 'cinder::glance': glance_api_servers => ["https://${profile::openstack::public}:9292"], glance_request_timeout => 600 }
  class { 'cinder::nova': password => profile::service_password('nova'), auth_url => $profile::openstack::auth_url, auth_type => 'password', region_name => $profile::openstack::region }
  class { 'cinder::key_manager': backend => 'barbican' }
  class { 'cinder::key_manager::barbican': barbican_endpoint => "https://${profile::openstack::public}:9311" }
  class { 'cinder::coordination': backend_url => 'etcd3+http://10.0.0.41:2379' }
  if $is_api {
    class { 'cinder::keystone::authtoken': password => profile::service_password('cinder'), * => $profile::openstack::keystone }
    class { 'cinder::api': service_name => 'httpd', default_volume_type => 'ceph', enable_proxy_headers_parsing => true, public_endpoint => "https://${profile::openstack::public}:8776" }
    class { 'cinder::wsgi::apache': workers => 2, error_log_file => 'cinder_error.log', * => $profile::openstack::wsgi }
    class { 'cinder::scheduler': }
    class { 'cinder::scheduler::filter': capacity_weight_multiplier => 1.5 }
    class { 'cinder::cron::db_purge': age => 60, minute => 7 }
    class { 'cinder::quota': quota_volumes => 50, quota_gigabytes => 4000 }
    cinder::quota_set { 'gold': quota_volumes => 10, quota_snapshots => 10 , class_name => 'default', os_password => 'p' }
    class { 'cinder::cors': allowed_origin => '*' }
  } else {
    class { 'cinder::volume': volume_clear => 'none', cluster => 'az1-cluster' }
    $backends.each |$name, $backend| {
      $type = "cinder::backend::${backend['kind']}"
      create_resources($type, { $name => $backend['options'] }, { 'manage_volume_type' => true, 'backend_availability_zone' => 'az1' } - ($backend['kind'] ? { 'vmdk' => 'x', default => [] }))
    }
    class { 'cinder::backends': enabled_backends => keys($backends) }
    class { 'cinder::backend::defaults': use_multipath_for_image_xfer => true }
    class { 'cinder::backup': backup_name_template => 'b-%s', backup_workers => 2 }
    class { 'cinder::backup::s3': backup_s3_endpoint_url => 'https://s3.example.com', backup_s3_store_access_key => 'ak', backup_s3_store_secret_key => 'sk', backup_s3_store_bucket => 'backups' }
    cinder_type { 'encrypted': ensure => present, properties => ['volume_backend_name=ceph'], is_public => false, access_project_ids => ['p1', 'p2'] }
    cinder_qos { 'gold-qos': ensure => present, consumer => 'front-end', properties => ['total_iops_sec=1000'], associations => ['encrypted'] }
  }
}
