class role::lbs {
  include profile::openstack::octavia
}
