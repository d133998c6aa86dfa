class broken::case17 {
  lookup('nothing::here', Integer)
}
