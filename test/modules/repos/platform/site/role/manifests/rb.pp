class role::rb { include profile::queue }
