class profile::mysql (Sensitive[String] $password, Hash[String, Hash] $databases = {}, Optional[Integer] $replica = undef) {
  class { 'mysql::server':
    root_password => $password.unwrap, remove_default_accounts => true, restart => true, create_root_my_cnf => true,
    override_options => {
      'mysqld' => { 'bind-address' => $facts['networking']['ip'], 'server-id' => pick($replica, 1), 'innodb_buffer_pool_size' => profile::share('60%'), 'log-bin' => 'bin', 'binlog_format' => 'ROW', 'skip-name-resolve' => true, 'sql_mode' => ['STRICT_ALL_TABLES', 'NO_ZERO_DATE'], 'ssl' => true, 'ssl-ca' => '/etc/mysql/ca.pem', 'replicate-ignore-db' => ['test', 'tmp'] },
      'mysqld_safe' => { 'nice' => -5 },
    },
    grants => { 'monitor@%/*.*' => { 'ensure' => 'present', 'options' => ['GRANT'], 'privileges' => ['PROCESS', 'REPLICATION CLIENT'], 'table' => '*.*', 'user' => 'monitor@%' } },
    users => { 'monitor@%' => { 'ensure' => 'present', 'max_connections_per_hour' => '0', 'password_hash' => mysql::password('mon') } },
  }
  class { 'mysql::server::backup': backupuser => 'bk', backuppassword => 'bk', backupdir => '/srv/backup', backupdatabases => keys($databases), file_per_database => true, time => ['3', '30'], backuprotate => 14, postscript => ['rsync -a /srv/backup b:/x', 'true'] }
  include mysql::client
  class { 'mysql::bindings': python_enable => true, perl_enable => true }
  class { 'mysql::server::mysqltuner': }
  $databases.each |$name, $database| {
    mysql::db { $name: charset => 'utf8mb4', collate => 'utf8mb4_unicode_ci', * => { 'host' => 'localhost' } + $database }
    mysql_grant { "report@%/${name}.*": privileges => ['SELECT'], table => "${name}.*", user => 'report@%' }
  }
  mysql_user { 'report@%': password_hash => mysql::password('rep'), tls_options => ['SSL'] }
  mysql_plugin { 'validate_password': ensure => present, soname => 'validate_password.so' }
}
