class profile::openstack::sweeps::barbican {
  class { 'barbican': }
  class { 'barbican::api': host_href => "https://${profile::openstack::public}:9311", default_transport_url => $profile::openstack::transport, service_name => 'httpd', enabled_secretstore_plugins => ['store_crypto', 'vault_plugin'], multiple_secret_stores_enabled => true, enabled_certificate_plugins => ['simple_certificate'], enabled => true, max_allowed_secret_in_bytes => 20000 }
  class { 'barbican::wsgi::apache': workers => 2, * => $profile::openstack::wsgi }
  class { 'barbican::keystone::notification': enable_keystone_notification => true }
  class { 'barbican::plugins::simple_crypto': simple_crypto_plugin_kek => 'YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXoxMjM0NTY=', global_default => true }
  class { 'barbican::plugins::vault': vault_url => 'https://vault', root_token_id => 'r', use_ssl => true }
  class { 'barbican::plugins::p11_crypto': p11_crypto_plugin_library_path => '/l.so', p11_crypto_plugin_login => 'pin', p11_crypto_plugin_mkek_label => 'm', p11_crypto_plugin_mkek_length => 32, p11_crypto_plugin_hmac_label => 'h', p11_crypto_plugin_token_serial_number => '1', p11_crypto_plugin_slot_id => 2, global_default => false }
  class { 'barbican::worker': }
  class { 'barbican::retry_scheduler': }
  class { 'barbican::quota': quota_secrets => 1000 }
}
