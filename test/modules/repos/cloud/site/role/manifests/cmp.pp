class role::cmp {
  include profile::openstack::compute
}
