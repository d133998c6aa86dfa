class profile::openstack::heat {
  include profile::openstack
  class { 'heat::policy': policies => { 'h' => { 'key' => 'stacks:create', 'value' => 'rule:deny_stack_user' } } }
  class { 'heat::db': database_connection => profile::db('heat') }
  class { 'heat::logging': debug => true }
  class { 'heat::keystone::authtoken': password => profile::service_password('heat'), * => $profile::openstack::keystone }
  class { 'heat::trustee': password => profile::service_password('heat'), auth_url => $profile::openstack::auth_url }
  class { 'heat::clients::keystone': auth_uri => $profile::openstack::auth_url }
  class { ['heat::clients::nova', 'heat::clients::neutron', 'heat::clients::cinder']: endpoint_type => 'internalURL' }
  class { 'heat::clients': endpoint_type => 'internalURL', ca_file => '/ca' }
  class { 'heat': default_transport_url => $profile::openstack::transport, rabbit_use_ssl => true, enable_proxy_headers_parsing => true, region_name => $profile::openstack::region, max_json_body_size => 2097152, notification_driver => ['messagingv2', 'log'] }
  class { 'heat::keystone::domain': domain_password => 'hd', domain_name => 'heat' }
  class { 'heat::api': service_name => 'httpd', workers => 2 }
  class { 'heat::wsgi::apache_api': * => $profile::openstack::wsgi }
  class { 'heat::api_cfn': service_name => 'httpd' }
  class { 'heat::wsgi::apache_api_cfn': * => $profile::openstack::wsgi }
  class { 'heat::engine': auth_encryption_key => '0123456789abcdef0123456789abcdef', heat_metadata_server_url => 'http://10.0.0.250:8000', trusts_delegated_roles => [], max_resources_per_stack => 2000, num_engine_workers => $facts['os_workers_heat_engine'], template_dir => '/etc/heat/templates', environment_dir => '/etc/heat/environment.d', convergence_engine => true, plugin_dirs => ['/usr/lib/heat', '/usr/lib64/heat'] }
  class { 'heat::cache': enabled => true, backend => 'oslo_cache.memcache_pool', memcache_servers => $profile::openstack::memcached }
  class { 'heat::cron::purge_deleted': age_type => 'hours', age => 48, maxdelay => 100 }
}
