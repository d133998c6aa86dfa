# Catalog entries of the services.
class profile::openstack::endpoints (
  Hash[String, Struct[{ port => Stdlib::Port, Optional[prefix] => String, Optional[v3] => Boolean }]] $services,
) {
  include profile::openstack
  $services.each |$service, $given| {
    $base = "${profile::openstack::public}:${given['port']}${given['prefix']}"
    $urls = if $given['v3'] {
      { 'public_url_v3' => "https://${base}/v3/%(tenant_id)s", 'internal_url_v3' => "http://${base}/v3/%(tenant_id)s", 'admin_url_v3' => "http://${base}/v3/%(tenant_id)s" }
    } else {
      { 'public_url' => "https://${base}", 'internal_url' => "http://${base}", 'admin_url' => "http://${base}" }
    }
    class { "${service}::keystone::auth":
      password => profile::service_password($service),
      region   => $profile::openstack::region,
      *        => $urls,
    }
  }
}
