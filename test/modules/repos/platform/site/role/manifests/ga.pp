class role::ga { include profile::galera }
