# Monitoring, logs and time.
node 'collect01.example.com' {
  class { 'collectd': purge => true, recurse => true, purge_config => true, minimum_version => '5.12', fqdnlookup => false, interval => 30, typesdb => ['/usr/share/collectd/types.db', '/etc/types.db'] }
  class { 'collectd::plugin::write_graphite': carbons => { 'g1' => { 'graphitehost' => 'carbon.example.com', 'graphiteport' => 2003, 'graphiteprefix' => 'collectd.', 'protocol' => 'tcp' } } }
  class { 'collectd::plugin::df': devices => ['proc', 'sysfs'], mountpoints => ['/u'], fstypes => ['nfs', 'tmpfs'], ignoreselected => true }
  class { 'collectd::plugin::disk': disks => ['/^sd/', 'vda'], udevnameattr => 'DM_NAME' }
  class { 'collectd::plugin::interface': interfaces => ['lo', '/^veth/'], ignoreselected => true, reportinactive => false }
  class { 'collectd::plugin::processes': processes => ['sshd', { 'name' => 'java', 'collect_context_switch' => true }], process_matches => [{ 'name' => 'all', 'regex' => '.*', 'collect_file_descriptor' => true }] }
  class { 'collectd::plugin::network': timetolive => '70', maxpacketsize => '42', forward => false, reportstats => true, servers => { 'c1' => { 'port' => 25826, 'interface' => 'eth0', 'securitylevel' => 'Encrypt', 'username' => 'u', 'password' => 'p' } }, listeners => { 'l1' => { 'port' => 25826, 'securitylevel' => 'None', 'authfile' => '/a' } } }
  class { 'collectd::plugin::apache': instances => { 'a80' => { 'url' => 'http://localhost/mod_status?auto', 'user' => 'u', 'password' => 'p' } } }
  class { 'collectd::plugin::python': modulepaths => ['/usr/share/collectd/python'], modules => { 'elasticsearch' => { 'script_source' => 'puppet:///modules/x/e.py', 'config' => [{ 'Cluster' => 'ES' }] }, 'another' => { 'config' => [{ 'Verbose' => 'true', 'List' => ['a', 'b'], 'Num' => 3 }] } }, logtraces => true }
  class { 'collectd::plugin::snmp': data => { 'amavis' => { 'type' => 'counter', 'table' => false, 'instance' => 'a', 'values' => ['1.3.6.1', '1.3.6.2'], 'ignore' => ['x'] } }, hosts => { 'h1' => { 'address' => '10.0.0.5', 'version' => 2, 'community' => 'public', 'collect' => ['amavis'] } } }
  class { 'collectd::plugin::postgresql': queries => { 'q1' => { 'statement' => 'SELECT 1', 'params' => ['database'], 'results' => [{ 'type' => 'gauge', 'valuesfrom' => 'c' }] } }, databases => { 'd' => { 'host' => 'h', 'query' => ['q1', 'disk_io'] } } }
  class { 'collectd::plugin::filter': }
  collectd::plugin::filter::chain { 'PreChain': target => 'return' }
  collectd::plugin::filter::rule { 'r': chain => 'PreChain' }
  collectd::plugin::filter::match { 'm': chain => 'PreChain', rule => 'r', plugin => 'regex', options => { 'Host' => 'h', 'Plugin' => '^x' } }
  collectd::plugin::filter::target { 'overwrite': chain => 'PreChain', rule => 'r', plugin => 'set', options => { 'PluginInstance' => 'c' } }
  collectd::plugin::exec::cmd { 'dummy': user => 'nobody', group => 'nogroup', exec => ['/bin/echo', 'PUTVAL x'] }
  collectd::plugin::tail::file { 'auth': filename => '/var/log/auth.log', instance => 'auth', matches => [{ 'regex' => '\\<sshd[^:]*: Accepted', 'dstype' => 'CounterInc', 'type' => 'counter', 'instance' => 'ok' }] }
  collectd::plugin::curl::page { 'stock': url => 'http://x', user => 'u', password => 'p', matches => [{ 'dstype' => 'GaugeAverage', 'instance' => 'A', 'regex' => 'q([0-9]*)', 'type' => 'v' }] }
  ['ping', 'users', 'uptime', 'swap', 'load', 'cpu', 'memory', 'entropy', 'vmem'].each |$plugin| { unless $plugin == 'ping' { include "collectd::plugin::${plugin}" } }
  class { 'collectd::plugin::ping': hosts => ['example.com', '10.0.0.1'] }
}

node 'monit01.example.com' {
  class { 'filebeat': outputs => { 'logstash' => { 'hosts' => ['l1:5044', 'l2:5044'], 'loadbalance' => true } }, inputs => { 'syslogs' => { 'paths' => ['/var/log/*.log'], 'doc_type' => 'syslog', 'fields' => { 'dc' => $facts['datacenter'] }, 'exclude_lines' => ['^DBG'] } }, processors => [{ 'drop_fields' => { 'fields' => ['f1', 'f2'] } }] }
  filebeat::input { 'nginx': paths => ['/var/log/nginx/*.log'], tags => ['web'], json => { 'keys_under_root' => true }, multiline => { 'pattern' => '^\\[', 'negate' => true } }
  class { 'chrony': servers => ['ntp1.corp.com', 'ntp2.corp.com'], queryhosts => ['10.0.0.0/8'], keys => ['1 SHA1 x'], chrony_password => 'z', port => 123, local_stratum => 8 }
}

node 'logs01.example.com' {
  $rules = lookup('logrotate_rules', { 'merge' => { 'strategy' => 'deep', 'knockout_prefix' => '--', 'sort_merged_arrays' => true } })
  $rules.each |$name, $rule| { logrotate::rule { $name: * => $rule } }
  class { 'ntp': servers => ['a', 'b'], restrict => ['default kod', '-6 default kod'], interfaces => ['eth0'], driftfile => '/var/lib/ntp/d', keys_enable => true, keys_trusted => [1, 2], keys => ['1 M AAAA'], fudge => ['127.127.1.0 stratum 10'], peers => ['p1'], statistics => ['loopstats'], statsdir => '/s', leapfile => '/l', tinker => true, panic => 0, minpoll => 4, maxpoll => 6, iburst_enable => true, preferred_servers => ['a'] }
}
