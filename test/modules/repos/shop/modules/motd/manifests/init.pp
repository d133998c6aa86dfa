class motd(String $text = 'hello') {
  file { '/etc/motd': content => inline_epp("<%= \$motd::text %>\n"), schedule => 'nights' }
  schedule { 'nights': range => '2 - 4', period => daily }
}
