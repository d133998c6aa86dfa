class role::pg { include profile::postgres }
