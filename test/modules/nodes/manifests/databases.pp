# Databases, caches and queues.
node 'mysql01.example.com' {
  class { 'mysql::server':
    root_password => 'r00t', remove_default_accounts => true, restart => true,
    override_options => { 'mysqld' => { 'max_connections' => 1024, 'bind-address' => '0.0.0.0', 'skip-name-resolve' => true, 'ssl-disable' => undef, 'replicate-do-db' => ['a', 'b'] }, 'mysqld_safe' => { 'log-error' => '/var/log/x.log' } },
    databases => { 'first' => { 'ensure' => 'present', 'charset' => 'utf8mb4' } },
    users => { 'first@%' => { 'ensure' => 'present', 'max_connections_per_hour' => '0', 'password_hash' => mysql::password('pw') } },
    grants => { 'first@%/first.*' => { 'ensure' => 'present', 'options' => ['GRANT'], 'privileges' => ['ALL'], 'table' => 'first.*', 'user' => 'first@%' } },
  }
  class { 'mysql::client': bindings_enable => true }
  class { 'mysql::server::backup': backupuser => 'bu', backuppassword => 'bp', backupdir => '/srv/backup', backupdatabases => ['app', 'mysql'], backuprotate => 7, time => ['3', '30'], backupcompress => true, include_triggers => true }
  lookup('databases', Hash, 'deep').each |String $name, Hash $settings| {
    mysql::db { $name: * => { 'user' => $name, 'host' => 'localhost' } + $settings }
  }
  Mysql::Db <<| tag == $facts['datacenter'] |>>
}

node 'postgres01.example.com', 'postgres02.example.com' {
  class { 'postgresql::globals': version => '15', encoding => 'UTF-8', locale => 'en_US.UTF-8', manage_package_repo => false }
  class { 'postgresql::server': listen_addresses => '*', ip_mask_deny_postgres_user => '0.0.0.0/32', ip_mask_allow_all_users => '0.0.0.0/0', ipv4acls => ['hostssl all johndoe 192.168.0.0/24 cert', 'local all all peer'], postgres_password => 'TPSrep0rt!', port => 5433 }
  include postgresql::server::contrib
  include postgresql::client
  include postgresql::lib::devel
  $names = ['orders', 'stock', 'people']
  $names.each |Integer $i, String $name| {
    postgresql::server::db { $name: user => $name, password => postgresql::postgresql_password($name, "pw${i}"), grant => 'ALL', owner => $i ? { 0 => $name, default => undef } }
    postgresql::server::pg_hba_rule { "allow ${name}": description => "Open for ${name}", type => 'host', database => $name, user => $name, address => "10.${i}.0.0/16", auth_method => 'md5', order => $i + 10 }
    postgresql::server::extension { "${name}-hstore": database => $name, extension => 'hstore' }
  }
  postgresql::server::config_entry { 'shared_buffers': value => "${Integer($facts['memory']['system']['total_bytes'] / 4194304)}MB"; 'wal_level': value => 'replica' }
  postgresql::server::role { 'replicator': replication => true, password_hash => 'md5x', connection_limit => 3 }
  postgresql::server::tablespace { 'fast': location => '/srv/fast' }
  postgresql::server::database_grant { 'ro': privilege => 'CONNECT', db => 'orders', role => 'replicator' }
  postgresql::server::table_grant { 'ro-t': privilege => 'SELECT', table => 't', db => 'orders', role => 'replicator' }
  postgresql::server::pg_ident_rule { 'Map': map_name => 'm', system_username => 's', database_username => 'd' }
  postgresql::validate_db_connection { 'v': database_host => 'h', database_username => 'u', database_password => 'p', database_name => 'orders' }
  postgresql_psql { 'select 1': unless => 'select 2' }
}

node 'mongo01.example.com' {
  class { 'mongodb::globals': manage_package_repo => false, bind_ip => ['127.0.0.1', '10.0.0.21'] }
  class { 'mongodb::server': auth => true, port => 27018, replset => 'rs0', oplog_size => 1024, verbose => true, set_parameter => ['textSearchEnabled=true'], smallfiles => true }
  class { 'mongodb::client': }
  mongodb::db { 'testdb': user => 'user1', password => 'pass1', roles => ['readWrite', 'dbAdmin'] }
  mongodb_replset { 'rs1': ensure => present, members => ['a:27017', 'b:27017'] }
}

node 'cache01.example.com' {
  class { 'redis': bind => ['10.0.0.21', '127.0.0.1'], port => 6380, requirepass => 'pw', maxmemory => '2gb', maxmemory_policy => 'allkeys-lru', save_db_to_disk => false, appendonly => true, masterauth => 'm', databases => 32 }
  ['6381', '6382'].each |$port| { redis::instance { "redis-${port}": port => Integer($port), unixsocket => "/var/run/redis-${port}.sock" } }
  class { 'memcached': max_memory => '25%', listen_ip => '10.0.0.21', tcp_port => 11212, processorcount => $facts['processors']['count'], verbosity => 'vv', extended_opts => ['lru_crawler', 'lru_maintainer'] }
  class { 'xinetd':  }
  class { 'etcd': ensure => 'latest', listen_client_urls => 'http://0.0.0.0:2379', initial_cluster => ['cache01=http://10.0.0.21:2380', 'cache02=http://10.0.0.22:2380'], etcd_name => 'cache01', initial_cluster_state => 'new' }
}

node 'queue01.example.com' {
  class { 'rabbitmq':
    delete_guest_user => true, repos_ensure => false, config_cluster => true, cluster_nodes => ['queue01', 'queue02', 'queue03'], cluster_node_type => 'ram', erlang_cookie => Sensitive('EOKOWXQREETZSHFNTPEY').unwrap, wipe_db_on_cookie_change => true,
    environment_variables => { 'NODE_PORT' => '5672', 'ERL_EPMD_ADDRESS' => '127.0.0.1', 'FOO' => 'UNSET' }, config_variables => { 'vm_memory_high_watermark' => 0.4, 'frame_max' => 131072, 'log_levels' => '[{queue, info}]' },
    config_kernel_variables => { 'inet_dist_listen_min' => 9100, 'inet_dist_listen_max' => 9105 }, ssl => true, ssl_port => 5671, ssl_cacert => '/ca', ssl_cert => '/c', ssl_key => '/k', ssl_versions => ['tlsv1.2', 'tlsv1.1'], ssl_ciphers => ['ecdhe_rsa,aes_256_cbc,sha', 'rsa,aes_256_cbc,sha'],
    tcp_keepalive => true, tcp_backlog => 4096, admin_enable => true, management_ip_address => '10.0.0.21', interface => '10.0.0.21', collect_statistics_interval => 30000, ldap_auth => true, ldap_server => 'ldap', ldap_user_dn_pattern => 'cn=username,ou=x', heartbeat => 20,
  }
  rabbitmq_vhost { ['/app', '/metrics']: ensure => present }
  rabbitmq_user { 'app': password => 'p', tags => ['monitoring'] }
  rabbitmq_user_permissions { 'app@/app': configure_permission => '.*', read_permission => '.*', write_permission => '.*' }
  rabbitmq_policy { 'ha-all@/app': pattern => '.*', priority => 0, applyto => 'all', definition => { 'ha-mode' => 'all', 'ha-sync-mode' => 'automatic' } }
  rabbitmq_exchange { 'ex@/app': user => 'app', password => 'p', type => 'topic', internal => false, auto_delete => false, durable => true, arguments => { 'hash-header' => 'm' } }
  rabbitmq_queue { 'q@/app': user => 'app', password => 'p', durable => true, arguments => { 'x-message-ttl' => 123 } }
  rabbitmq_binding { 'ex@q@/app': user => 'app', password => 'p', destination_type => 'queue', routing_key => '#' }
  rabbitmq_parameter { 'sh@/': component_name => 'shovel', value => { 'src-uri' => 'amqp://', 'src-queue' => 'q' } }
  rabbitmq_plugin { 'rabbitmq_stomp': ensure => present }
}
