class profile::openstack::glance (
  Hash[String, Struct[{ type => Enum[rbd, file, swift, http, cinder, s3], Optional[options] => Hash }]] $stores = { 'file1' => { 'type' => 'file' } },
  String $default = 'file1',
) {
  include profile::openstack
  class { 'glance::policy': policies => { 'x' => { 'key' => 'publicize_image', 'value' => 'role:admin' } }, policy_path => '/etc/glance/policy.yaml' }
  class { 'glance::api::db': database_connection => profile::db('glance') }
  class { 'glance::api::logging': debug => true, log_dir => '/var/log/glance' }
  class { 'glance::api::authtoken': password => profile::service_password('glance'), * => $profile::openstack::keystone }
  class { 'glance::api':
    enabled_backends => $stores.map |$name, $store| { "${name}:${store['type']}" },
    default_backend  => $default,
    bind_host        => $facts['networking']['ip'],
    enable_proxy_headers_parsing => true,
    image_import_plugins => ['image_conversion', 'inject_image_metadata'],
    inject_metadata_properties => { 'owner_specified.x' => 'y', 'a' => 'b' },
    show_image_direct_url => true,
    workers => $facts['processors']['count'],
  }
  $stores.each |$name, $store| {
    ensure_resource("glance::backend::multistore::${store['type']}", $name, pick($store['options'], {}))
  }
  class { 'glance::backend::reserved::staging': filesystem_store_datadir => '/srv/staging' }
  class { 'glance::backend::reserved::tasks': }
  class { 'glance::notify::rabbitmq': default_transport_url => $profile::openstack::transport, notification_driver => 'messagingv2', rabbit_use_ssl => true }
  class { 'glance::cron::db_purge': age => '30', destination => '/dev/null' }
  class { 'glance::cache::cleaner': }
  class { 'glance::cache::pruner': minute => '*/15' }
  class { 'glance::key_manager': backend => 'barbican' }
  class { 'glance::key_manager::barbican': barbican_endpoint => "https://${profile::openstack::public}:9311", auth_endpoint => $profile::openstack::auth_url }
  glance_image { 'cirros': ensure => present, is_public => 'yes', container_format => 'bare', disk_format => 'qcow2', source => 'http://images.example.com/cirros.img', image_tag => 'cloud' }
}
