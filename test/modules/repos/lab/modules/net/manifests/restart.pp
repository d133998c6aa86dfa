class net::restart { exec { '/sbin/ifreload': refreshonly => true, tries => 3 } }
