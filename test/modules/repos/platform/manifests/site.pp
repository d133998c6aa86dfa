$clusters = $trusted['certname'] ? {
  /^(my|ga)/        => ['mysql', 'database'],
  /^pg/             => ['postgresql', 'database'],
  /^(rb|mq)/        => ['rabbitmq'],
  /^(col|mon|log)/  => ['monitoring'],
  default           => [],
}
node /^([a-z]+)\d+\./ {
  $group = $1
  include profile::server
  include "role::${group}"
  $clusters.each |Integer $index, String $cluster| {
    notify { "cluster ${cluster}": message => sprintf('%02d %-12s|', $index + 1, $cluster), tag => ["cluster_${cluster}"] }
  }
}
node default { fail("no role for ${trusted['certname']}") }
