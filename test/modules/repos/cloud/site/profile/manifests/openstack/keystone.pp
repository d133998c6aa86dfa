class profile::openstack::keystone (
  Integer[1] $workers = 4,
  Hash[String, Hash] $domains = {},
) {
  include profile::openstack
  class { 'keystone::policy': policies => { 'identity-list' => { 'key' => 'identity:list_users', 'value' => 'role:admin or role:auditor' } } }
  class { 'keystone::db': database_connection => profile::db('keystone'), database_max_retries => -1 }
  class { 'keystone::logging': debug => false, log_dir => '/var/log/keystone', default_log_levels => { 'amqp' => 'WARN', 'oslo.messaging' => 'INFO' } }
  class { 'keystone':
    service_name                 => 'httpd',
    default_transport_url        => $profile::openstack::transport,
    notification_transport_url   => $profile::openstack::transport,
    notification_driver          => 'messagingv2',
    enable_proxy_headers_parsing => true,
    token_expiration             => 7200,
    using_domain_config          => true,
    *                            => $profile::openstack::ssl,
    fernet_keys                  => {
      '/etc/keystone/fernet-keys/0' => { 'content' => 'zero' },
      '/etc/keystone/fernet-keys/1' => { 'content' => 'one' },
    },
  }
  class { 'keystone::messaging::amqp': }
  class { 'keystone::wsgi::apache': workers => $workers, access_log_format => 'forwarded', custom_wsgi_process_options => { 'user' => 'keystone' }, * => $profile::openstack::wsgi }
  class { 'keystone::bootstrap':
    password     => $profile::openstack::passwords['admin'],
    public_url   => "https://${profile::openstack::public}:5000",
    internal_url => "http://${profile::openstack::vip}:5000",
    admin_url    => "http://${profile::openstack::vip}:5000",
    region       => $profile::openstack::region,
  }
  class { 'keystone::cache': backend => 'dogpile.cache.pymemcache', enabled => true, memcache_servers => $profile::openstack::memcached, tls_enabled => true }
  class { 'keystone::cron::fernet_rotate': hour => [0, 12] }
  class { 'keystone::cron::trust_flush': maxdelay => 3600 }
  class { 'keystone::security_compliance': lockout_failure_attempts => 6, lockout_duration => 1800, password_regex => '^(?=.*\d)(?=.*[a-zA-Z]).{7,}$', unique_last_password_count => 2 }
  class { 'keystone::cors': allowed_origin => "https://${profile::openstack::public}", allow_methods => ['GET', 'PUT'] }
  class { 'keystone::healthcheck': backends => ['disable_by_file'], detailed => false }
  class { 'keystone::federation::openidc':
    keystone_url => "https://${profile::openstack::public}:5000",
    methods => 'password,token,openid', idp_name => 'corp', openidc_provider_metadata_url => 'https://idp.example.com/.well-known', openidc_client_id => 'cloud', openidc_client_secret => 'oidc', openidc_crypto_passphrase => 'crypt', remote_id_attribute => 'HTTP_OIDC_ISS',
  }
  $domains.each |$name, $domain| {
    keystone_domain { $name: ensure => present, enabled => true }
    keystone::ldap_backend { $name: * => $domain }
  }
  keystone_role { ['auditor', 'member', 'load-balancer_member']: ensure => present }
  ['demo', 'ops'].each |$project| {
    keystone_tenant { $project: ensure => present, enabled => true, description => capitalize($project) }
    keystone_user { "${project}-user": ensure => present, enabled => true, password => fqdn_rand_string(16, '', $project), email => "${project}@example.com" }
    keystone_user_role { "${project}-user@${project}": ensure => present, roles => ['member', 'auditor'] }
  }
}
