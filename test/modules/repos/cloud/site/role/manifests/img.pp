class role::img {
  include profile::openstack::glance
}
