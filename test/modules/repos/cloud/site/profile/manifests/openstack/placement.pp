class profile::openstack::placement {
  include profile::openstack
  class { 'placement::policy': policies => { 'p' => { 'key' => 'placement:allocations:list', 'value' => '!' } } }
  class { 'placement': }
  class { 'placement::logging': debug => true }
  class { 'placement::db': database_connection => profile::db('placement') }
  class { 'placement::keystone::authtoken': password => profile::service_password('placement'), * => $profile::openstack::keystone }
  class { 'placement::api': api_service_name => 'httpd', sync_db => true }
  class { 'placement::wsgi::apache': api_port => 8778, path => '/placement', workers => 3, * => $profile::openstack::wsgi }
}
