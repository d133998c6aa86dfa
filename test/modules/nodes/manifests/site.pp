# What all nodes share.
File { backup => false, owner => 'root' }
Package { ensure => installed, tag => 'packaged' }
Exec { path => ['/usr/bin', '/bin'], logoutput => on_failure }
$top = $trusted['certname'] ? { /^(\w+?)\d+\./ => $1, default => 'other' }
$role = pick_default($trusted.dig('extensions', 'pp_role'), $top)
if $facts['kernel'] == 'Linux' and versioncmp($facts['kernelversion'], '3') > 0 {
  schedule { 'maintenance': range => '2 - 4', period => daily, repeat => 1 }
}

node default {
  notify { "${trusted['hostname']} runs ${facts['os']['name']}": }
  file { "${facts['os']['windows']['system32']}/drivers/etc/motd": content => "hello\r\n" }
}
