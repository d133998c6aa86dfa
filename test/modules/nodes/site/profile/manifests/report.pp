class profile::report(String $message = lookup('profile::default_message'), Optional[Integer] $level = undef) {
  notify { "report: ${message} ${level}": }
}
