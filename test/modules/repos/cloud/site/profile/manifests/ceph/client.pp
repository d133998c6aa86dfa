class profile::ceph::client (Hash[String, Hash] $keys = { 'client.cinder' => { 'secret' => 'AQB==', 'cap_mon' => 'profile rbd', 'cap_osd' => 'profile rbd pool=volumes' } }) {
  class { 'ceph': fsid => '7e2b3c4d-0000-4000-8000-1234567890ab', mon_host => '10.0.0.41,10.0.0.42', mon_initial_members => 'mon1,mon2', ms_bind_ipv6 => false, rbd_default_features => '15' }
  $keys.each |$name, $key| { ceph::key { $name: * => $key } }
}
