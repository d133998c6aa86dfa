class role::idn {
  include profile::openstack::keystone
  include profile::openstack::endpoints
}
