class profile::web(Hash[String, Hash] $vhosts = {}, Array[String] $modules = ['headers', 'rewrite'], Stdlib::Port $port = 80) {
  class { 'apache': default_vhost => false, mpm_module => $facts['os']['family'] ? { 'Debian' => 'prefork', default => 'event' }, serveradmin => lookup('admin_mail') }
  $modules.each |$module| { include "apache::mod::${module}" }
  $vhosts.each |$name, $vhost| {
    apache::vhost { $name: * => { 'port' => $port, 'docroot' => "/srv/${name}", 'options' => ['FollowSymLinks'] } + $vhost }
    @@haproxy::balancermember { "${name}-${facts['networking']['hostname']}": listening_service => 'api', ports => ["${port}"], server_names => $facts['networking']['hostname'], ipaddresses => $facts['networking']['ip'], options => 'check' }
  }
  if $facts['os']['family'] == 'Debian' { logrotate::rule { 'vhosts': path => '/srv/*/log/*.log', rotate => '30', rotate_every => 'day', compress => true, delaycompress => true, postrotate => ['/bin/true', '/bin/false'] } }
}
