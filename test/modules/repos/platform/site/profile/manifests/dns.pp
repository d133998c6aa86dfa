class profile::dns (Hash[String, Hash] $zones = { 'example.com' => {}, '0.0.10.in-addr.arpa' => { 'reverse' => true } }) {
  class { 'dns': forwarders => ['9.9.9.9', '1.1.1.1'], recursion => 'yes', allow_recursion => ['10.0.0.0/8'], allow_query => ['any'], dnssec_validation => 'auto', acls => { 'internal' => ['10.0.0.0/8', 'localhost'] }, controls => { '127.0.0.1' => { 'port' => 953, 'allowed_addresses' => ['127.0.0.1'], 'keys' => ['rndc-key'] } }, additional_options => { 'max-cache-size' => '256m' } }
  dns::key { 'transfer': algorithm => 'hmac-sha256' }
  $zones.each |$zone, $given| { dns::zone { $zone: soa => 'ns1.example.com', soaip => '10.0.0.53', contact => 'hostmaster.example.com', also_notify => ['10.0.0.54'], allow_transfer => ['key transfer'], update_policy_rules => { 'transfer' => { 'matchtype' => 'zonesub', 'tname' => '.', 'rr' => 'ANY', 'action' => 'grant' } }, * => $given } }
}
