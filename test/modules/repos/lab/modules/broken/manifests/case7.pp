class broken::case7 {
  include broken::missing
}
