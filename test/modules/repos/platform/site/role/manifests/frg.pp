class role::frg { include profile::forge }
