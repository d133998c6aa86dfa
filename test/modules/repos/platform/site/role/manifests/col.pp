class role::col { include profile::monitoring }
