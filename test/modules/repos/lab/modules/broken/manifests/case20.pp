class broken::case20 {
  create_resources('broken::thing', { 'one' => { 'size' => 'big' } })
}
