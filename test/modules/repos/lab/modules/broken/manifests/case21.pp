class broken::case21 {
  return(1)
}
