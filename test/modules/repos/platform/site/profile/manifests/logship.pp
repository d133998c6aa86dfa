define profile::logship (String $facility = $title, Enum['tcp', 'relp'] $protocol = 'tcp', Optional[Stdlib::Port] $port = undef) {
  $syslog = lookup('syslog')
  file { "/etc/logship.d/${title}.conf":
    content => epp('profile/logship.epp', { 'facility' => $facility, 'server' => $syslog['server'], 'port' => pick($port, $syslog['port']), 'extra' => { 'protocol' => $protocol, 'hosts' => $facts['networking']['interfaces'].map |$n, $i| { "${n}=${i['ip']}" } } }),
    tag     => 'logship',
  }
}
