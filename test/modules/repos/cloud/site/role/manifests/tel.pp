class role::tel {
  include profile::openstack::telemetry
}
