class profile::openstack::swift_store (Array[String] $disks = ['sdb', 'sdc']) {
  include profile::openstack
  class { 'memcached': max_memory => '10%' }
  class { 'swift': swift_hash_path_suffix => 'suf', swift_hash_path_prefix => 'pre' }
  $disks.each |$disk| { swift::storage::xfs { $disk: device => "/dev/${disk}", mnt_base_dir => '/srv/node', byte_size => 2048, loopback => false } }
  class { 'swift::storage::all':
    storage_local_net_ip => $facts['networking']['ip'], devices => '/srv/node', mount_check => true, log_facility => 'LOG_LOCAL3', splice => true, incoming_chmod => 'Du=rwx,g=rx,o=rx,Fu=rw,g=r,o=r', max_connections => 25,
    object_pipeline => ['healthcheck', 'recon', 'object-server'], container_pipeline => ['healthcheck', 'recon', 'container-server'], account_pipeline => ['healthcheck', 'recon', 'account-server'], statsd_enabled => true, log_statsd_host => 'statsd.example.com', object_server_mb_per_sync => 8, rsync_timeout => 900, 
  }
  swift::storage::filter::recon { ['object', 'container', 'account']: cache_path => '/var/cache/swift' }
  swift::storage::filter::healthcheck { ['object', 'container', 'account']: }
  class { 'swift::storage::cron::recon': minute => '*/5' }
  class { 'swift::containerreconciler': pipeline => ['catch_errors', 'proxy-logging', 'cache', 'proxy-server'] }
  class { 'swift::memcache': }
  class { 'swift::internal_client': pipeline => ['catch_errors', 'cache', 'proxy-server'] }
  swift::ringsync { ['object', 'container', 'account']: ring_server => '10.0.0.60' }
}
