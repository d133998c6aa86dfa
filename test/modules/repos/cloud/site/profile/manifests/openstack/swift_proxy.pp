class profile::openstack::swift_proxy (Array[String] $stores = ['10.0.0.61', '10.0.0.62', '10.0.0.63']) {
  include profile::openstack
  class { 'memcached': listen_ip => '127.0.0.1', max_memory => 512 }
  class { 'swift': swift_hash_path_suffix => 'suf', swift_hash_path_prefix => 'pre', max_header_size => 65536 }
  class { 'swift::proxy':
    proxy_local_net_ip => $facts['networking']['ip'], workers => 8, account_autocreate => true, allow_account_management => true, node_timeout => 30, read_affinity => 'r1z1=100', write_affinity => 'r1', log_facility => 'LOG_LOCAL2',
    pipeline => ['catch_errors', 'gatekeeper', 'healthcheck', 'proxy-logging', 'cache', 'listing_formats', 'container_sync', 'bulk', 'tempurl', 'ratelimit', 'formpost', 'authtoken', 's3api', 's3token', 'keystone', 'staticweb', 'copy', 'container-quotas', 'account-quotas', 'slo', 'dlo', 'versioned_writes', 'ceilometer', 'kms_keymaster', 'encryption', 'proxy-logging', 'proxy-server'],
  }
  include swift::proxy::catch_errors
  include swift::proxy::gatekeeper
  include swift::proxy::healthcheck
  class { 'swift::proxy::cache': memcache_servers => $profile::openstack::memcached, tls_enabled => true }
  class { ['swift::proxy::listing_formats', 'swift::proxy::container_sync', 'swift::proxy::container_quotas', 'swift::proxy::account_quotas', 'swift::proxy::slo', 'swift::proxy::proxy_logging']: }
  class { 'swift::proxy::bulk': max_containers_per_extraction => 10000 }
  class { 'swift::proxy::tempurl': methods => ['GET', 'HEAD'] }
  class { 'swift::proxy::ratelimit': account_ratelimit => 10, container_ratelimit => { 100 => 100, 200 => 50 } }
  class { 'swift::proxy::formpost': }
  class { 'swift::proxy::authtoken': password => profile::service_password('swift'), delay_auth_decision => 1, www_authenticate_uri => $profile::openstack::auth_url, auth_url => $profile::openstack::auth_url }
  class { 'swift::proxy::s3api': location => 'eu' }
  class { 'swift::proxy::s3token': auth_uri => $profile::openstack::auth_url }
  class { 'swift::proxy::keystone': operator_roles => ['admin', 'member'] }
  class { 'swift::proxy::staticweb': }
  class { 'swift::proxy::copy': object_post_as_copy => false }
  class { 'swift::proxy::dlo': rate_limit_after_segment => 5 }
  class { 'swift::proxy::versioned_writes': allow_versioned_writes => true }
  class { 'swift::proxy::ceilometer': default_transport_url => $profile::openstack::transport, password => profile::service_password('swift'), nonblocking_notify => true }
  class { 'swift::proxy::kms_keymaster': }
  class { 'swift::keymaster': key_id => 'kid', password => profile::service_password('swift'), auth_endpoint => $profile::openstack::auth_url }
  class { 'swift::proxy::encryption': disable_encryption => false }
  class { 'swift::objectexpirer': pipeline => ['catch_errors', 'cache', 'proxy-server'] }
  class { 'swift::dispersion': auth_pass => 'd' }
  class { 'swift::ringbuilder': part_power => 18, replicas => 3, min_part_hours => 1 }
  $stores.each |Integer $index, String $store| {
    Integer[1, 3].each |$disk| {
      ring_object_device { "${store}:6000/sd${disk}": zone => $index + 1, weight => 100.0 }
      ring_container_device { "${store}:6001/sd${disk}": zone => $index + 1, weight => 100 }
      ring_account_device { "${store}:6002/sd${disk}": zone => $index + 1, weight => 100 }
    }
  }
  swift::ringbuilder::policy_ring { '1': part_power => 16, replicas => 2, min_part_hours => 1 }
  swift::storage::policy { '0': policy_name => 'gold', default_policy => true, policy_aliases => 'g, gg' }
  swift::storage::policy { '1': policy_name => 'ec', default_policy => false, policy_type => 'erasure_coding', ec_type => 'liberasurecode_rs_vand', ec_num_data_fragments => 4, ec_num_parity_fragments => 2, ec_object_segment_size => 1048576 }
  class { 'swift::ringserver': local_net_ip => $facts['networking']['ip'], max_connections => 5 }
}
