define net::card(Net::Address $address, Optional[Integer] $mtu = undef, $routes = {}) {
  $parts = $address.split('/')
  file { "/etc/net/${name}": content => "${parts[0]} ${parts[1]} ${mtu}" }
  $routes.each |$to, $via| { notify { "${name}: ${to} via ${via}": } }
}
