class net(Hash[String[1], Net::Interface] $interfaces) {
  Net::Card { mtu => 1400 }
  create_resources('net::card', $interfaces)
  $interfaces.keys.sort.reduce |$before, $after| {
    Net::Card[$before] -> Net::Card[$after]
    $after
  }
  contain net::restart
  Net::Card <| |> ~> Class['net::restart']
}
