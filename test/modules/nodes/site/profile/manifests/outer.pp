define profile::outer(Integer $depth, $label = "${title}/${depth}") {
  Notify { withpath => true }
  file { "/etc/outer-${title}-${depth}": content => "${name} ${label} ${module_name} ${caller_module_name}" }
  if $depth > 1 { profile::outer { "${title}${depth}": depth => $depth - 1, require => File["/etc/outer-${title}-${depth}"] } }
  notify { "outer ${title} ${depth}": }
}
