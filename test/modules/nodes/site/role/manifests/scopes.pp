class role::scopes inherits profile::scopes {
  File['/etc/scoped'] { mode => '0600', content +> 'x' }
  Service['scoped'] { enable => false, require +> File['/etc/scoped'] }
  File['/etc/scoped.d'] { ensure => undef }
  $local = 'child'
  file { '/etc/child': content => "${local} ${profile::scopes::local} ${shared}" }
  profile::outer { ['a', 'b']: depth => 3 }
  contain profile::layers
  tag 'scoped', 'deep'
  if tagged('scoped') { notify { 'tagged': } }
}
