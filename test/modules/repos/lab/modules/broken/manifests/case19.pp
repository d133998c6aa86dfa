class broken::case19 {
  package { 'p': ensure => present, provider => { 'a' => 1 } }
  package { 'q': name => 'p' }
}
