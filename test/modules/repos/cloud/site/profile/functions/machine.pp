# The few facts that people ask for.
function profile::machine(Hash $machine) >> Hash[String, Data] {
  $interfaces = $machine['networking']['interfaces'].reduce({}) |$memo, $pair| {
    [$name, $net] = $pair
    $memo + { $name => $net['ip'] }
  }
  $memory = $machine.dig('memory', 'system', 'total_bytes')
  $result = {
    'os'         => "${facts['os']['name']} ${facts['os']['release']['major']}",
    'interfaces' => $interfaces,
    'memory'     => $memory ? { undef => 'unknown', default => sprintf('%.1f GiB', $memory / 1073741824.0) },
    'big'        => $memory =~ Integer[8589934592],
  }
  $result
}
