class role::ml { include profile::mail }
