class broken::case14 {
  notify { ['p', 'q', 'p']: }
}
