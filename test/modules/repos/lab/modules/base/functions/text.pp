function base::text(String $key, Hash $options, Puppet::LookupContext $context) {
  if $key == 'base::motto' { 'by default' } else { $context.not_found }
}
