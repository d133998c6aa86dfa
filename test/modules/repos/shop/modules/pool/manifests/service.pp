class pool::service { service { 'pool': ensure => 'running', hasrestart => true } }
