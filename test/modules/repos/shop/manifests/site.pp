stage { 'prepare': before => Stage['main'] }
stage { 'cleanup': require => Stage['main'] }
File { owner => 'root', group => 'root' }
Package { ensure => installed }
