class role::ctl {
  include profile::openstack::keystone
  include profile::openstack::endpoints
  include profile::openstack::glance
  include profile::openstack::placement
  class { 'profile::openstack::nova': is_api => true }
  class { 'profile::openstack::neutron': is_server => true }
  class { 'profile::openstack::cinder': is_api => true }
  include profile::openstack::heat
}
