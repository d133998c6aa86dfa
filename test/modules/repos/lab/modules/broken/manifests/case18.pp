class broken::case18 {
  $map = { 'k' => 1 }
  notify { 'm': message => $map.k.upcase }
}
