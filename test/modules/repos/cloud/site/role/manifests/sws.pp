class role::sws {
  include profile::openstack::swift_store
}
