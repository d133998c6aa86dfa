class broken::case5 {
  $x = 1
  $x = 2
}
