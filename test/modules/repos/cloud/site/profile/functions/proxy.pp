function profile::proxy(String $name, Optional[Stdlib::Port] $port = undef) >> String {
  $scheme = $name ? { /^(\w+)_proxy$/ => $1, default => fail("no proxy '${name}'") }
  $default = { 'http' => 3128, 'https' => 3129 }
  "http://proxy.${facts['datacenter']}.example.com:${pick($port, $default[$scheme])}/"
}
