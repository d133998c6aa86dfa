class profile::openstack::sweeps::magnum {
  class { 'magnum': default_transport_url => $profile::openstack::transport, rabbit_use_ssl => true, notification_driver => 'messagingv2' }
  class { 'magnum::keystone::domain': domain_password => 'md', keystone_region_name => $profile::openstack::region }
  class { 'magnum::keystone::keystone_auth': password => profile::service_password('magnum'), auth_url => $profile::openstack::auth_url }
  class { 'magnum::api': service_name => 'httpd', enabled_ssl => false, sync_db => true }
  class { 'magnum::wsgi::apache': workers => 2, * => $profile::openstack::wsgi }
  class { 'magnum::conductor': workers => 4 }
  class { 'magnum::client': }
  class { 'magnum::clients': region_name => $profile::openstack::region, endpoint_type => 'internalURL' }
  class { 'magnum::certificates': cert_manager_type => 'barbican' }
  class { 'magnum::cluster_template': kubernetes_allowed_network_drivers => ['flannel', 'calico'], kubernetes_default_network_driver => 'calico' }
  class { 'magnum::docker_registry': swift_region => 'r' }
  class { 'magnum::quota': max_clusters_per_project => 20 }
}
