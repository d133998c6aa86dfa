class role::log { include profile::logs }
