# What the language offers to whole nodes: stages, virtual and exported resources, overrides, scopes, templates, data types.
node /^lang([a-z]+?)(\d+)\.(.*)$/ {
  $number = Integer($2, 10)
  notify { 'captures': message => "${1} ${number} of ${3}" }
  include "role::${1}"
}

node 'enc01.example.com' {
  notify { 'classified': message => "${::owner} ${facts['os']['name']} ${tier}" }
}
