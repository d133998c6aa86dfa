class profile::postgres (String $version = '15', Hash[String, Hash] $databases = { 'gis' => { 'owner' => 'gis' } }, Boolean $standby = false) {
  class { 'postgresql::globals': version => $version, manage_package_repo => $facts['os']['family'] == 'Debian', encoding => 'UTF-8', locale => 'en_US.UTF-8', postgis_version => '3' }
  class { 'postgresql::server': listen_addresses => '*', ip_mask_deny_postgres_user => '0.0.0.0/32', ip_mask_allow_all_users => '10.0.0.0/8', ipv4acls => ['hostssl all repl 10.0.0.0/24 scram-sha-256', 'host all all 10.1.0.0/16 md5'], postgres_password => 'pg', manage_recovery_conf => false, manage_pg_ident_conf => true }
  include postgresql::server::contrib
  include postgresql::server::postgis
  include postgresql::client
  $entries = { 'shared_buffers' => profile::share(0.25), 'effective_cache_size' => profile::share('75%'), 'max_connections' => 300, 'wal_level' => 'replica', 'archive_mode' => 'on', 'archive_command' => "'cp %p /srv/wal/%f'", 'random_page_cost' => 1.1, 'log_min_duration_statement' => '250ms', 'ssl' => 'on' }
  $entries.each |$key, $value| {
    postgresql::server::config_entry { $key: value => $value }
  }
  $databases.each |$name, $database| {
    postgresql::server::db { $name: user => $database['owner'], password => postgresql::postgresql_password($database['owner'], "pw-${name}"), encoding => 'UTF8' }
    postgresql::server::schema { "${name}-app": schema => 'app', db => $name, owner => $database['owner'] }
    postgresql::server::extension { "${name}-postgis": extension => 'postgis', database => $name, ensure => 'present' }
    postgresql::server::grant { "${name}-connect": privilege => 'CONNECT', db => $name, role => 'reader' }
    postgresql::server::pg_hba_rule { "allow ${name}": type => 'hostssl', database => $name, user => $database['owner'], address => '10.0.0.0/16', auth_method => 'scram-sha-256', order => 20 }
  }
  postgresql::server::role { 'reader': password_hash => 'md5abc', login => true, inherit => true, superuser => false }
  postgresql::server::role { 'repl': replication => true, password_hash => postgresql::postgresql_password('repl', 'x') }
  postgresql::server::tablespace { 'ssd': location => '/ssd/pg', owner => 'reader' }
  postgresql::server::grant_role { 'reader-gis': group => 'gis', role => 'reader' }
  postgresql::server::reassign_owned_by { 'old': db => 'gis', old_role => 'reader', new_role => 'gis' }
}
