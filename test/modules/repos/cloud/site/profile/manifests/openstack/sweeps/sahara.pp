class profile::openstack::sweeps::sahara {
  class { 'sahara': default_transport_url => $profile::openstack::transport, plugins => ['vanilla', 'spark'], use_floating_ips => false, default_ntp_server => 'ntp.example.com' }
  class { 'sahara::service::api': service_name => 'httpd', api_workers => 2 }
  class { 'sahara::wsgi::apache': * => $profile::openstack::wsgi }
  class { 'sahara::service::engine': periodic_coordinator_backend_url => 'redis://x', periodic_workers_number => 2 }
  class { 'sahara::notify': notification_driver => 'messaging' }
  class { 'sahara::client': }
}
