# What every machine has.
class role::base {
  include profile::base
}
