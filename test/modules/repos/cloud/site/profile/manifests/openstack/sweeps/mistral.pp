class profile::openstack::sweeps::mistral {
  class { 'mistral::policy': policies => { 'm' => { 'key' => 'a:b', 'value' => 'c' } } }
  class { 'mistral': default_transport_url => $profile::openstack::transport, rabbit_use_ssl => true }
  class { 'mistral::api': service_name => 'httpd', enable_proxy_headers_parsing => true, max_request_body_size => 10000 }
  class { 'mistral::wsgi::apache': * => $profile::openstack::wsgi }
  class { 'mistral::engine': package_ensure => present }
  class { 'mistral::executor': package_ensure => present }
  class { ['mistral::event_engine', 'mistral::cron_trigger', 'mistral::notifier']: }
  class { 'mistral::coordination': backend_url => 'etcd3+http://x' }
}
