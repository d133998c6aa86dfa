class broken::case1 {
  file { '/a': ensure => file }
  include broken::again
}
