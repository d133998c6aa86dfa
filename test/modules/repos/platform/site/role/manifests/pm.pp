class role::pm { include profile::ha }
