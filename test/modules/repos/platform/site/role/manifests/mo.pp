class role::mo { include profile::mongo }
