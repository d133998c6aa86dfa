/**
 * Calls of functions that packaged modules have in Ruby, but for those of stdlib, by function; each
 * is a list of arguments in Puppet code.
 */
export const TYPICAL_CALLS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  ipv6_normalize_dnsmasq_ip_subnets: [
    ["[{'ip_range' => '10.0.0.1,10.0.0.9', 'netmask' => '255.255.255.0', 'gateway' => '10.0.0.254'}]"],
    ["[{'netmask' => 'ffff:ffff::', 'gateway' => 'fe80::1'}, {}]"],
  ],
  collectd_convert_processes: [
    ["[{'name' => 'foo', 'regex' => '.*'}, 'alone']"],
    ["{'foo' => {}}"],
    ["['a', 'b']"],
    ["[{'name' => 'x'}, {'regex' => '1'}]"],
    ["'a'"],
  ],
  ipaddresses: [[], ["'x'"]],
  range_to_mask: [["'1-5,7'"], ["''"], ['undef'], ["'3'"], ["'0,2-4'"]],
  to_array_of_json_strings: [["[{'a' => 1}, {'b' => [true]}]"], ['\'[{"a": 1}]\''], ["'nothing'"], ["['a']"]],
  getvar_emptystring: [["'os'"], ["'facts'"], ["'nothing'"], ["'::hostname'"], ["'interfaces'"]],
  validate_yum_hash: [["{'r' => {'baseurl' => 'x'}}"], ["{'r' => {'nothing' => 'x'}}"], ['{}'], ["{'r' => []}"]],
  mysql_password: [["'secret'"], ["''"], ["'*94BDCEBE19083CE2A1F959FD02F964C7AF4CFC29'"], ["'ü'"]],
  'mysql::password': [["'secret'"], ["''"], ["'*94BDCEBE19083CE2A1F959FD02F964C7AF4CFC29'"], ["'ü'"]],
  'mysql::strip_hash': [
    ["{'a' => '', 'b' => {'c' => '', 'd' => 1}, 'e' => 'x'}"],
    ["{'b' => {'c' => '', 'd' => ''}}"],
    ["{'a' => ['']}"],
  ],
  validate_network_vlan_ranges: [
    ["'physnet1:1000:2000'"],
    ["['a:1:2', 'b']"],
    ["'a:5000:6000'"],
    ["'a:20:10'"],
    ["'1:2'"],
  ],
  convert_cert_to_string: [["'/nowhere'"]],
  validate_vni_ranges: [["'1:100'"], ["['1:2', '3:4']"], ["'5:1'"], ["'a'"], ["'1:99999999'"]],
  validate_tunnel_id_ranges: [["'1:100'"], ["['1:2', '3:4']"], ["'5:1'"], ["'a'"], ["'1:99999999'"]],
  validate_vxlan_udp_port: [["'4789'"], ['50000'], ["'80'"], ["'x'"]],
  convert_to_json_string: [["['a:b', 'c:d']"], ["{'a' => [1, undef, true]}"], ["'x'"], ["['a']"]],
  translate: [["'a %{b}'", "{'b' => 1}"], ["'text'"], ["'%{b}'", '{}']],
  mongodb_password: [
    ["'user'", "'secret'"],
    ['1', 'true'],
    ["'ü'", "''"],
  ],
  mco_array_to_string: [["['a', 1, true, undef, 2.5]"], ["'a'"], ["[['a'], {'b' => 1}]"]],
  monit_validate_tests: [
    ["'SYSTEM'", "[{'type' => 'loadavg(1min)', 'operator' => '>', 'value' => '1'}]"],
    ["'PROCESS'", "[{'type' => 'cpu', 'value' => '80', 'action' => 'restart'}]"],
    ["'FILE'", '[]'],
  ],
  get_ext_net_name: [
    ["{'net04' => {'L2' => {'router_ext' => false}}, 'net05' => {'L2' => {'router_ext' => true}}}"],
    ["{'a' => {}}"],
    ["'a'"],
  ],
  get_in_addr_arpa: [["'10.1.2'"], ["'10'"], ["''"]],
  apache_pw_hash: [["'secret'"]],
  'apache::pw_hash': [["'secret'"], ["'ü'"]],
  'apache::apache_pw_hash': [["'secret'"]],
  'apache::bool2httpd': [['true'], ['false'], ["'mail'"], ['undef'], ["'True'"], ["'FALSE'"], ['3'], ['[true]']],
  bool2httpd: [['true'], ["'x'"]],
  augeas: [["''", "'Hosts.lns'", "['set']"]],
  inet6_prefix: [["'::1'"], ["['::1', '127.0.0.1', 'host']"], ["'inet6:[::1]'"], ["'[::1]:80'"]],
  is_service_default: [["'<SERVICE DEFAULT>'"], ["'a'"], ['1'], ["'a'", "'b'"]],
  normalize_ip_for_uri: [["'::1'"], ["['::1', '127.0.0.1', 'host']"], ["'[::1]'"], ["'127.0.0.1'"]],
  os_transport_url: [
    ["{'transport' => 'rabbit', 'host' => '127.0.0.1', 'port' => '5672', 'username' => 'a b', 'password' => 'c:d'}"],
    ["{'transport' => 'rabbit', 'hosts' => ['127.0.0.1', '10.0.0.1'], 'ssl' => '1', 'query' => {'k' => 'v'}}"],
    ["{'transport' => 'amqp', 'host' => 'h', 'virtual_host' => 'v'}"],
  ],
  os_database_connection: [
    ["{'dialect' => 'mysql', 'host' => '127.0.0.1', 'database' => 'd', 'username' => 'u', 'password' => 'p'}"],
    ["{'dialect' => 'sqlite', 'database' => '/var/lib/x', 'charset' => 'utf8', 'extra' => {'a' => 'b'}}"],
  ],
  'memcached::max_memory': [["'50%'"], ['undef'], ['512'], ["'12'"], ["'7.5%'"]],
  staging_parse: [
    ["'http://h/a/b.tar.gz'"],
    ["'/a/b.zip'", "'basename'"],
    ["'/a/b.zip'", "'parent'"],
    ["'a'", "'extname'"],
  ],
  scope_defaults: [
    ["'File'", "'mode'"],
    ["'file'", "'x'"],
  ],
  assemble_nexus_url: [
    ["'http://n'", "{'g' => 'a b', 'a' => 'x&y/ü~*'}"],
    ["''", '{}'],
  ],
  'archive::parse_artifactory_url': [
    ["'http://repo.com/artifactory/libs/com/example/foo/1.0/foo-1.0.jar'"],
    ["'https://repo.com/a'"],
  ],
  postgresql_escape: [["'abc'"]],
  postgresql_password: [["'u'", "'p'"]],
  'postgresql::postgresql_escape': [["'abc'"], ["'a$$b'"], ["'a$'"], ["'$ed$ $$'"]],
  'postgresql::postgresql_password': [
    ["'u'", "'p'"],
    ['1', "'ü'"],
  ],
  'postgresql::postgresql_acls_to_resources_hash': [
    [
      "['local all all trust', 'host all all 127.0.0.1/32 md5 opt=1 b', 'host d u 10.0.0.0 255.0.0.0 md5']",
      "'test'",
      '10',
    ],
    ["['too short']", "'test'", '0'],
    ['[]', "'x'", '1'],
  ],
  create_ini_settings: [["{'s' => {'k' => 'v'}}", "{'path' => '/f'}"]],
  'inifile::create_ini_settings': [
    ["{'s' => {'k' => 'v', 'l' => {'value' => 'w', 'ensure' => 'absent'}}}", "{'path' => '/f'}"],
    ["{'s' => {'k' => 'v'}, 'path' => '/g'}"],
    ["{'s' => {'k' => 'v'}}"],
    ["{'s' => 1}", "{'path' => '/f'}"],
  ],
};
