# Roles come from the certificate's extension, else from the host's name: cmp3.example.com is a compute.
$role = $trusted['extensions']['pp_role'] ? {
  undef   => $trusted['certname'] ? {
    /^([a-z]+)\d*\./ => $1,
    default          => 'none',
  },
  default => $trusted['extensions']['pp_role'],
}

Exec { path => ['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'] }
File { backup => false }

node default {
  lookup('classes', Array[String], 'unique', []).include
  if $role != 'none' {
    include "role::${role}"
  }
}
