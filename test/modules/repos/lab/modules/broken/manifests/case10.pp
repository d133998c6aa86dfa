class broken::case10 {
  $y = broken::half(7)
  notify { "${y}": }
}
