class broken::case12 {
  notify { 'a': } -> Notify['b']
}
