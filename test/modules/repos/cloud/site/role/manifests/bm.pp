class role::bm {
  include profile::openstack::ironic
}
