class profile::galera {
  class { 'galera': galera_servers => ['10.0.0.21', '10.0.0.22', '10.0.0.23'], galera_master => 'ga1.dc1.example.com', root_password => 'r', status_password => 's', vendor_type => 'mariadb', vendor_version => '10.5', configure_repo => $facts['os']['family'] == 'Debian', configure_firewall => false, deb_sysmaint_password => 'd', wsrep_sst_method => 'mariabackup', bind_address => '0.0.0.0', local_ip => $facts['networking']['ip'], override_options => { 'mysqld' => { 'wsrep_slave_threads' => 8, 'innodb_buffer_pool_size' => profile::share('50%', 'G') } } }
  mysql_user { 'sst@localhost': ensure => present, password_hash => mysql::password('p') }
}
