class broken::again { file { '/a': ensure => directory } }
