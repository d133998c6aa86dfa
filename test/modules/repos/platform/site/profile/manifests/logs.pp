class profile::logs {
  include logrotate::base
  ['nginx', 'app', 'audit'].each |$i, $n| {
    logrotate::rule { $n: path => ["/var/log/${n}/*.log", "/srv/${n}.log"], rotate => "${5 + $i}", rotate_every => ['day', 'week', 'month'][$i], size => '100M', missingok => true, copytruncate => $i == 0, sharedscripts => true, postrotate => ["systemctl kill -s USR1 ${n}", 'true'], create => true, create_mode => '0640', create_owner => 'root', create_group => 'adm', dateformat => '-%Y%m%d' }
  }
  class { 'chrony': servers => { 'ntp1.example.com' => ['iburst', 'prefer'], 'ntp2.example.com' => [] }, makestep_seconds => 3, makestep_updates => 10, queryhosts => ['10.0.0.0/8'], log_options => 'tracking measurements', clientlog => true, lock_all => true, port => 123 }
}
