class role::net { include profile::openstack::network }
