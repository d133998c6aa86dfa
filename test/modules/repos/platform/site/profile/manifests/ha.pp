class profile::ha (Array[String] $nodes = ['pm1', 'pm2', 'pm3']) {
  class { 'corosync': cluster_name => 'ha', enable_secauth => true, authkey_source => 'string', authkey => base64('encode', 'key material'), bind_address => ['10.0.0.21', '10.1.0.21'], unicast_addresses => $nodes.map |$n| { ["10.0.0.${n[-1]}", "10.1.0.${n[-1]}"] }, quorum_members => $nodes.map |$n| { ["10.0.0.${n[-1]}", "10.1.0.${n[-1]}"] }, quorum_members_names => $nodes, quorum_members_ids => range(1, 3), token => 5000, token_retransmits_before_loss_const => 10, join => 1000, consensus => 6000, max_messages => 20, set_votequorum => true, votequorum_expected_votes => 3, log_stderr => false, syslog_priority => 'notice', package_crmsh => true, package_pcs => false }
  corosync::service { 'pacemaker': version => '1' }
  Cs_primitive { metadata => { 'resource-stickiness' => '100' } }
  cs_property { 'stonith-enabled': value => 'true'; 'cluster-recheck-interval': value => '60s' }
  cs_primitive { 'vip': primitive_class => 'ocf', primitive_type => 'IPaddr2', provided_by => 'heartbeat', parameters => { 'ip' => '10.0.0.100', 'cidr_netmask' => 24 }, operations => { 'monitor' => { 'interval' => '10s', 'timeout' => '20s' }, 'start' => { 'timeout' => '30s' } } }
  $nodes.each |$n| { cs_primitive { "fence-${n}": primitive_class => 'stonith', primitive_type => 'fence_ipmilan', parameters => { 'ip' => "${n}-ipmi", 'username' => 'f' } } cs_location { "no-self-${n}": primitive => "fence-${n}", node_name => $n, score => '-INFINITY' } }
  cs_primitive { ['haproxy', 'web']: primitive_class => 'systemd', primitive_type => 'haproxy' }
  cs_clone { 'web-clone': primitive => 'web', clone_max => 2, interleave => true }
  cs_group { 'front': primitives => ['vip', 'haproxy'] }
  cs_order { 'vip-first': first => 'vip', second => 'web-clone', kind => 'Mandatory', symmetrical => true }
  cs_colocation { 'together': primitives => [['vip', 'haproxy'], 'web'], score => 'INFINITY' }
  class { 'haproxy': global_options => { 'maxconn' => 50000, 'ssl-default-bind-options' => ['no-sslv3', 'no-tlsv10'], 'stats' => ['socket /run/h.sock mode 600 level admin', 'timeout 2m'], 'tune.ssl.default-dh-param' => 2048 }, defaults_options => { 'mode' => 'http', 'timeout' => ['connect 5s', 'client 30s', 'server 30s'], 'errorfile' => ['400 /e/400', '503 /e/503'] }, restart_command => '/bin/true', service_options => 'ENABLED=1' }
  haproxy::frontend { 'https': bind => { '10.0.0.100:443' => ['ssl', 'crt', '/etc/h.pem', 'alpn h2,http/1.1'], ':::80' => [] }, options => { 'http-request' => ['redirect scheme https unless { ssl_fc }', 'set-header X-P https if { ssl_fc }'], 'use_backend' => '%[req.hdr(host),lower,map(/etc/haproxy/hosts.map,shop)]', 'default_backend' => 'shop', 'option' => ['forwardfor', 'httplog'] } }
  ['shop', 'blog'].each |$b| {
    haproxy::backend { $b: options => { 'balance' => 'leastconn', 'option' => ['httpchk GET /health', 'http-keep-alive'], 'http-check' => 'expect status 200', 'stick-table' => 'type ip size 200k expire 30m' }, mode => 'http' }
    $nodes.each |$i, $n| { haproxy::balancermember { "${b}-${n}": listening_service => $b, server_names => "${n}-${b}", ipaddresses => "10.0.1.${i}", ports => '8080', options => ['check', "weight ${100 - $i}"], verifyhost => false } }
  }
  haproxy::mapfile { 'hosts': ensure => present, mappings => [{ 'shop.example.com' => 'shop' }, { 'blog.example.com' => 'blog' }] }
  haproxy::userlist { 'ops': users => ['ada insecure-password x'], groups => ['g users ada'] }
}
