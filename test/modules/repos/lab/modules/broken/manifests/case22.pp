class broken::case22 {
  break()
}
