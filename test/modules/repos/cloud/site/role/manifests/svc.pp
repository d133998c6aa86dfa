class role::svc {
  include profile::openstack::sweeps
}
