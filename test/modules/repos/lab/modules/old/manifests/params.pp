class old::params { $file = 'x.conf' }
