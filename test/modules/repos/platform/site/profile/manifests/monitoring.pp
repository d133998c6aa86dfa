class profile::monitoring (Array[String] $plugins = ['cpu', 'load', 'memory', 'swap', 'users', 'uptime', 'vmem', 'entropy', 'contextswitch', 'irq', 'conntrack', 'fhcount', 'numa', 'thermal', 'tcpconns']) {
  class { 'collectd': manage_repo => false, purge => true, recurse => true, purge_config => true, interval => 20, minimum_version => '5.8', collectd_hostname => $facts['networking']['fqdn'] }
  $plugins.each |$plugin| { if $plugin == 'tcpconns' { class { 'collectd::plugin::tcpconns': localports => ['22', '443'], remoteports => ['5432'], listening => false } } else { include "collectd::plugin::${plugin}" } }
  class { 'collectd::plugin::aggregation': aggregators => { 'cpu' => { 'plugin' => 'cpu', 'agg_type' => 'cpu', 'groupby' => ['Host', 'TypeInstance'], 'calculateaverage' => true, 'calculatesum' => true } } }
  class { 'collectd::plugin::write_http': nodes => { 'c' => { 'url' => 'https://c/x', 'format' => 'JSON', 'user' => 'u' } } }
  class { 'collectd::plugin::write_prometheus': port => '9103' }
  class { 'collectd::plugin::statsd': host => '0.0.0.0', port => 8125, deletecounters => true, timerpercentile => ['90', '99'] }
  class { 'collectd::plugin::logfile': log_level => 'warning', log_file => '/var/log/collectd.log' }
  class { 'collectd::plugin::mysql': }
  collectd::plugin::mysql::database { 'shop': host => 'my1', username => 'm', password => 'p', masterstats => true, innodbstats => true }
  class { 'collectd::plugin::redis': nodes => { 'a' => { 'host' => 'r1', 'port' => 6379, 'timeout' => 2000, 'queries' => { 'dbsize' => { 'type' => 'gauge', 'query' => 'DBSIZE' } } } } }
  class { 'collectd::plugin::memcached': instances => { 'a' => { 'host' => 'm1', 'port' => 11211 } } }
  class { 'collectd::plugin::threshold': types => [{ 'name' => 'load', 'warning_max' => 5.0 }], plugins => [{ 'name' => 'df', 'instance' => 'root', 'types' => [{ 'name' => 'df_complex', 'instance' => 'free', 'warning_min' => 100.0, 'percentage' => true }] }], hosts => [{ 'name' => 'h', 'plugins' => [], 'types' => [] }] }
  collectd::plugin::curl_json { 'rabbit': url => 'http://l:55672/api', instance => 'q', keys => { 'message_stats/publish' => { 'type' => 'gauge', 'instance' => 'overview' } } }
  class { 'collectd::plugin::genericjmx': jvmarg => ['-Xmx64m'] }
  collectd::plugin::genericjmx::mbean { 'gc': object_name => 'java.lang:type=GarbageCollector,*', instance_from => ['name'], values => [{ 'mbean_type' => 'invocations', 'table' => false, 'attribute' => 'CollectionCount' }] }
  collectd::plugin::genericjmx::connection { 'app': service_url => 'service:jmx:x', collect => ['gc'], user => 'u', password => 'p' }
  collectd::typesdb { '/etc/collectd/types.db': }
  concat { '/etc/prometheus/targets.yml': ensure => present, order => 'numeric', warn => "# targets\n" }
  Profile::Target <<| |>> { port => 9200 }
  class { 'filebeat': outputs => { 'elasticsearch' => { 'hosts' => ['https://e1:9200'], 'ssl' => { 'certificate_authorities' => ['/ca'] }, 'indices' => [{ 'index' => 'a-%{+yyyy}', 'when.contains' => { 'x' => 'y' } }] } }, setup => { 'template' => { 'name' => 'fb' } }, logging => { 'level' => 'info' }, modules => ['system'], manage_repo => false, tags => ['t'], major_version => '7' }
  filebeat::input { 'apps': paths => ['/srv/*/log/*.log'], exclude_files => ['.gz$'], fields => { 'env' => 'prod', 'n' => 3 }, multiline => { 'pattern' => '^\s', 'match' => 'after', 'negate' => false }, close_older => '5m' }
}
