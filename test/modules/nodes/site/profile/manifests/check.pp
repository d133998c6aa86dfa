define profile::check(String $command, Integer $interval = 60) {
  concat::fragment { "check ${title}": target => '/etc/checks', content => "${title} ${command} ${interval}\n", order => $interval }
  ensure_resource('concat', '/etc/checks', { 'order' => 'numeric', 'warn' => true })
}
