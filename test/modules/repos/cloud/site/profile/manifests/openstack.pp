# What all services of the cloud share.
class profile::openstack (
  String[1]           $region,
  Stdlib::Host        $public,
  Stdlib::IP::Address $vip,
  Stdlib::Host        $db_host,
  Array[Stdlib::Host, 1] $brokers,
  Array[String]       $memcached,
  Hash                $passwords,
) {
  $auth_url = "https://${public}:5000/v3"
  $transport = os_transport_url({
    'transport'    => 'rabbit',
    'hosts'        => $brokers,
    'port'         => '5671',
    'username'     => 'openstack',
    'password'     => $passwords['rabbit'],
    'virtual_host' => 'cloud',
    'ssl'          => '1',
    'query'        => { 'rpc' => 'quorum' },
  })
  $ssl = {
    'rabbit_use_ssl'     => true,
    'kombu_ssl_ca_certs' => '/etc/ssl/certs/cloud-ca.pem',
    'amqp_durable_queues' => true,
  }
  $keystone = {
    'auth_url'             => $auth_url,
    'www_authenticate_uri' => $auth_url,
    'memcached_servers'    => $memcached,
    'region_name'          => $region,
  }
  $wsgi = {
    'ssl'       => true,
    'ssl_cert'  => '/etc/ssl/certs/cloud.pem',
    'ssl_key'   => '/etc/ssl/private/cloud.key',
    'bind_host' => $facts['networking']['ip'],
    'servername' => $facts['networking']['fqdn'],
  }
  file { '/etc/ssl/certs/cloud-ca.pem': source => 'puppet:///modules/profile/ca.pem' }
}
