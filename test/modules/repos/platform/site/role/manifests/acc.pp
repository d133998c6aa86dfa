class role::acc { include profile::access }
