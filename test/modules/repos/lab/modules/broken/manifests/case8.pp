class broken::case8 {
  [1, 2].each |Integer $a, String $b| { notify { "${a}${b}": } }
}
