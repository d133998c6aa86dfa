class role::vol {
  include profile::openstack::cinder
}
