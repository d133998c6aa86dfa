class role::zk { include profile::zookeeper }
