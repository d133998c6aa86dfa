class broken::case11 {
  Notify['nowhere'] { message => 'x' }
}
