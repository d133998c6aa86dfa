function profile::db(String[1] $service, Hash[String, Scalar] $options = {}) >> String {
  profile::url($service, $profile::openstack::passwords[$service]['db'], $profile::openstack::db_host, $options)
}
