class broken::case13 {
  fail("broken on purpose ${facts['networking']['hostname']}")
}
