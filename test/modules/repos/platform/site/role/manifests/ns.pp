class role::ns { include profile::dns }
