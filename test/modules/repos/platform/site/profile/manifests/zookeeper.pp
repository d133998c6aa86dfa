class profile::zookeeper (Hash[String, String] $ensemble = { '1' => '10.0.0.21', '2' => '10.0.0.22', '3' => '10.0.0.23' }) {
  class { 'zookeeper': id => '1', servers => $ensemble, client_ip => $facts['networking']['ip'], purge_interval => 6, snap_retain_count => 5, init_limit => 15, sync_limit => 7, java_opts => "-Xmx${profile::share('10%')}", log4j_prop => 'INFO,ROLLINGFILE', max_session_timeout => 60000, rollingfile_threshold => 'INFO' } 
}
