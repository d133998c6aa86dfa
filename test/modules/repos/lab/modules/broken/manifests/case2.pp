class broken::case2 {
  notify { 'x': mesage => 'typo' }
}
