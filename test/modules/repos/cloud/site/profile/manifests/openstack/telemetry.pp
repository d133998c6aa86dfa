class profile::openstack::telemetry {
  include profile::openstack
  class { 'ceilometer': telemetry_secret => 'tele', default_transport_url => $profile::openstack::transport, rabbit_use_ssl => true }
  class { 'ceilometer::logging': debug => true }
  class { 'ceilometer::agent::service_credentials': password => profile::service_password('ceilometer'), auth_url => $profile::openstack::auth_url }
  class { 'ceilometer::db::sync': }
  class { 'ceilometer::agent::notification': manage_event_pipeline => true, event_pipeline_publishers => ['gnocchi://', 'panko://'], manage_pipeline => true, pipeline_publishers => ['gnocchi://'] }
  class { 'ceilometer::agent::polling': compute_namespace => false, manage_polling => true, polling_interval => 120, polling_meters => [] }
  class { 'ceilometer::coordination': backend_url => 'redis://10.0.0.5:6379' }
  class { 'ceilometer::agent::polling::service_types': }
  class { 'gnocchi': coordination_url => 'redis://10.0.0.5:6379' }
  class { 'gnocchi::db': database_connection => profile::db('gnocchi') }
  class { 'gnocchi::keystone::authtoken': password => profile::service_password('gnocchi'), * => $profile::openstack::keystone }
  class { 'gnocchi::api': service_name => 'httpd', sync_db => true, max_limit => 5000 }
  class { 'gnocchi::wsgi::apache': workers => 3, * => $profile::openstack::wsgi }
  class { 'gnocchi::metricd': workers => 6, metric_processing_delay => 30 }
  class { 'gnocchi::storage': }
  class { 'gnocchi::storage::ceph': ceph_username => 'gnocchi', ceph_keyring => '/etc/ceph/k', ceph_conffile => '/etc/ceph/c' }
  class { 'gnocchi::storage::incoming::redis': redis_url => 'redis://10.0.0.5' }
  class { 'gnocchi::statsd': resource_id => '07f26121-5777-48ba-8a0b-d70468133dd9', flush_delay => 10 }
  class { 'aodh::db': database_connection => profile::db('aodh') }
  class { 'aodh': default_transport_url => $profile::openstack::transport } 
  class { 'aodh::keystone::authtoken': password => profile::service_password('aodh'), * => $profile::openstack::keystone }
  class { 'aodh::service_credentials': password => profile::service_password('aodh'), auth_url => $profile::openstack::auth_url }
  class { 'aodh::api': enabled => true, service_name => 'httpd', sync_db => true }
  class { 'aodh::wsgi::apache': workers => 2, * => $profile::openstack::wsgi }
  class { 'aodh::evaluator': evaluation_interval => 60 }
  class { ['aodh::notifier', 'aodh::listener', 'aodh::client']: }
  class { 'aodh::coordination': backend_url => 'redis://10.0.0.5' }
  if $facts['os']['family'] == 'Debian' { class { 'redis': bind => '0.0.0.0', maxmemory => '1gb' } }
}
