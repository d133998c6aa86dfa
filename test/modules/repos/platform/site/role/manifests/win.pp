class role::win { include profile::win }
