# The smaller services of the cloud, each with database, messages, keystone and its API.
class profile::openstack::sweeps (
  Array[Enum['barbican', 'magnum', 'mistral', 'designate', 'sahara', 'cloudkitty', 'murano']] $services,
) {
  include profile::openstack
  $transport = $profile::openstack::transport
  $services.each |$service| {
    class { "${service}::db": database_connection => profile::db($service) }
    unless $service == 'barbican' { class { "${service}::logging": debug => $service == 'murano' } }
    $token = { 'password' => profile::service_password($service) } + $profile::openstack::keystone
    class { "${service}::keystone::authtoken": * => $token }
    contain "profile::openstack::sweeps::${service}"
  }
  if size($services) > 2 { notify { "many: ${services.join(' and ')}": loglevel => info } }
}
