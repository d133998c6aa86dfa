class role::swp {
  include profile::openstack::swift_proxy
}
