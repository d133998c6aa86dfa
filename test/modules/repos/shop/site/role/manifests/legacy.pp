# Old manners: numbers in texts, facts without their hash, names that nobody set.
class role::legacy {
  include profile::base
  $sum = '1' + '0x10'
  $name_of_host = $::hostname
  notify { 'legacy': message => "${sum} ${name_of_host} ${not_set} ${facts['none']} ${role::legacy::nothing}" }
  $twice = { 'a' => 1, 'a' => 2 }
  notify { "twice ${twice['a']}": }
  if $twice[b] =~ Undef { notify { 'no b': } }
  notify { "upper ${$facts['os']['name'].upcase}": noop => true }
}
