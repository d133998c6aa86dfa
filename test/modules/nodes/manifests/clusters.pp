# High availability and storage clusters.
node /^pace\d\.example\.com$/ {
  class { 'corosync': enable_secauth => true, authkey_source => 'string', authkey => 'c2VjcmV0', bind_address => $facts['networking']['network'], multicast_address => '239.1.1.2', quorum_members => ['pace1.example.com', 'pace2.example.com', 'pace3.example.com'], quorum_members_names => ['pace1', 'pace2', 'pace3'], token => 3000, log_stderr => false, set_votequorum => true, manage_pacemaker_service => true }
  corosync::service { 'pacemaker': version => '0' }
  cs_property { 'stonith-enabled': value => 'false'; 'no-quorum-policy': value => 'ignore' }
  cs_rsc_defaults { 'resource-stickiness': value => '100' }
  cs_primitive { 'vip': primitive_class => 'ocf', primitive_type => 'IPaddr2', provided_by => 'heartbeat', parameters => { 'ip' => '10.0.0.100', 'cidr_netmask' => '24' }, operations => { 'monitor' => { 'interval' => '10s' } } }
  cs_primitive { 'web': primitive_class => 'systemd', primitive_type => 'apache2', metadata => { 'target-role' => 'Started' } }
  cs_colocation { 'web_with_vip': primitives => ['web', 'vip'], score => 'INFINITY' }
  cs_order { 'vip_before_web': first => 'vip', second => 'web' }
  cs_location { 'prefer1': primitive => 'vip', node_name => 'pace1', score => '50' }
  cs_clone { 'web-clone': ensure => present, primitive => 'web' }
  Cs_property <| |> -> Cs_primitive <| |> -> Cs_order <| |>
}

node 'ceph01.example.com' {
  class { 'ceph::repo': release => 'quincy', proxy => 'http://proxy:3128' }
  class { 'ceph': fsid => '066F558C-6789-4A93-AAF1-5AF1BA01A3AD', mon_initial_members => 'ceph01,ceph02', mon_host => '10.0.0.21,10.0.0.22', authentication_type => 'cephx', osd_pool_default_size => 3, osd_pool_default_pg_num => 64, public_network => '10.0.0.0/24', cluster_network => '10.1.0.0/24' }
  ceph::mon { 'ceph01': key => 'AQATGHJTUCBqIBAA7M2yafV1xctn1pgr3GcKPg==', authentication_type => 'cephx', public_addr => '10.0.0.21' }
  ceph::key { 'client.admin': secret => 'AQATGHJTUCBqIBAA7M2yafV1xctn1pgr3GcKPg==', cap_mon => 'allow *', cap_osd => 'allow *', cap_mds => 'allow *', inject => true, inject_as_id => 'mon.', inject_keyring => '/var/lib/ceph/mon/ceph-ceph01/keyring' }
  ['/dev/sdb', '/dev/sdc'].each |$i, $device| { ceph::osd { $device: journal => "/dev/nvme0n1p${i}" } }
  class { 'ceph::conf': args => { 'global/debug_ms' => { 'value' => '1' }, 'osd/debug_osd' => { 'value' => 1000 } } }
  ceph::pool { ['volumes', 'images', 'vms']: pg_num => 64, size => 3 }
  ceph::rgw { 'radosgw.gateway': user => 'www-data', frontend_type => 'civetweb', rgw_dns_name => 's3.example.com' }
  class { 'ceph::mds': public_addr => '10.0.0.21' }
  ceph_config { 'client/rbd_cache': value => 'true' }
}

node 'galera01.example.com' {
  class { 'galera': galera_servers => ['10.0.0.21', '10.0.0.22', '10.0.0.23'], galera_master => 'galera01.example.com', root_password => 'pa$$w0rd', vendor_type => 'mariadb', configure_repo => false, configure_firewall => false, deb_sysmaint_password => 'd', status_password => 's', bind_address => '10.0.0.21', wsrep_sst_method => 'rsync', override_options => { 'mysqld' => { 'innodb_buffer_pool_size' => '1G' } } }
}

node 'lb01.example.com' {
  class { 'haproxy':
    global_options => { 'log' => '127.0.0.1 local0', 'maxconn' => '20000', 'stats' => ['socket /var/lib/haproxy/stats', 'timeout 30s'], 'daemon' => '' },
    defaults_options => { 'log' => 'global', 'retries' => '3', 'option' => ['redispatch', 'dontlognull'], 'timeout' => ['http-request 10s', 'queue 1m', 'server 1m'] },
    merge_options => true, custom_fragment => "listen admin\n  bind :8080\n",
  }
  haproxy::frontend { 'www': bind => { '0.0.0.0:80' => [], '10.0.0.21:443' => ['ssl', 'crt', '/etc/haproxy/site.pem'] }, mode => 'http', options => [{ 'default_backend' => 'web' }, { 'acl' => ['is_api path_beg /api', 'is_ws hdr(Upgrade) -i websocket'] }, { 'use_backend' => ['api if is_api'] }] }
  haproxy::backend { 'web': collect_exported => false, options => { 'option' => ['tcplog', 'httpchk GET /'], 'balance' => 'roundrobin', 'cookie' => 'SRV insert' } }
  haproxy::backend { 'api': options => { 'balance' => 'leastconn' } }
  haproxy::listen { 'stats': ipaddress => '0.0.0.0', ports => ['9090', '9091'], mode => 'http', options => { 'stats' => ['enable', 'uri /'] } }
  haproxy::balancermember { 'static': listening_service => 'web', server_names => ['w1', 'w2'], ipaddresses => ['10.0.1.1', '10.0.1.2'], ports => ['80'], options => 'check', define_cookies => true }
  haproxy::userlist { 'users': users => ['scott password hash', 'tiger insecure-password x'], groups => ['admins users scott'] }
  haproxy::peers { 'cluster': collect_exported => false }
  haproxy::peer { 'p1': peers_name => 'cluster', server_names => 'lb1', ipaddresses => '10.0.0.1', port => 1024 }
  haproxy::mapfile { 'domains': ensure => 'present', mappings => [{ 'app01.example.com' => 'bk_app01' }, { 'app02.example.com' => 'bk_app02' }] }
  haproxy::resolver { 'dns': nameservers => { 'ns1' => '10.0.0.2:53' }, hold => { 'nx' => '30s' }, resolve_retries => 3, timeout => { 'retry' => '1s' } }
  haproxy::mailer { 'm': mailers_name => 'mm', server_names => 's', ipaddresses => '10.0.0.3', port => 25 }
  haproxy::defaults { 'more': options => { 'mode' => 'tcp' } }
  Haproxy::Balancermember <<| listening_service == 'api' and tag != 'drain' |>> { options => 'check inter 5s' }
}
