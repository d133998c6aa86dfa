class role::shr {
  include profile::openstack::manila
}
