class role::cph { include profile::ceph::cluster }
