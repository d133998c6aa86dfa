class role::rd { include profile::caches }
