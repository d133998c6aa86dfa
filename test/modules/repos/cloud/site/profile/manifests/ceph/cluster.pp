class profile::ceph::cluster (Array[Enum['mon', 'osd', 'mgr', 'mds', 'rgw']] $roles, Hash $osds = {}) {
  class { 'ceph::profile::params': release => 'quincy', fsid => '7e2b3c4d-0000-4000-8000-1234567890ab', mon_key => 'AQmon==', mgr_key => 'AQmgr==', authentication_type => 'cephx', mon_initial_members => 'cph1,cph2', mon_host => '10.0.0.21:6789,10.0.0.22:6789', public_network => '10.0.0.0/24', cluster_network => '10.1.0.0/24', osd_pool_default_size => '3', manage_repo => $facts['os']['family'] == 'Debian', client_keys => { 'client.admin' => { 'secret' => 'AQadm==', 'mode' => '0600', 'cap_mon' => 'allow *', 'cap_osd' => 'allow *', 'cap_mds' => 'allow *' }, 'client.bootstrap-osd' => { 'secret' => 'AQbo==', 'keyring_path' => '/var/lib/ceph/bootstrap-osd/ceph.keyring', 'cap_mon' => 'allow profile bootstrap-osd' } }, osds => $osds, rgw_keystone_admin_domain => 'default', rgw_keystone_admin_project => 'services', rgw_keystone_admin_user => 'rgw', rgw_keystone_admin_password => 'rgw', rgw_frontends => 'beast port=8080', rgw_name => "radosgw.${facts['networking']['hostname']}", rgw_user => 'ceph' }
  $roles.each |$role| { contain "ceph::profile::${role}" }
  if 'mon' in $roles {
    ceph::pool { ['volumes', 'images', 'vms', 'backups']: ensure => present, pg_num => 128, size => 3, tag => 'pools' }
    Ceph::Pool <| tag == 'pools' |> { pgp_num => 128 }
  }
}
