function profile::service_password(String[1] $service) {
  $profile::openstack::passwords.dig($service, 'service').then |$x| { $x }
}
