class broken::case3 {
  class { 'broken::wants': count => 'five' }
}
