node /^(web|db)(\d+)\.example\.com$/ {
  $tier = $1 ? { 'web' => front, default => back }
  notice("${trusted['certname']} is number ${2}")
  include role::server
}
node 'legacy.example.com' {
  $tier = legacy
  class { 'role::legacy': stage => cleanup }
}
node default {
  $tier = 'none'
  include role::server
  notify { "unknown kind ${tier}": }
}
