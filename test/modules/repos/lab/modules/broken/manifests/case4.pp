class broken::case4 {
  broken::thing { 'a': size => 3, shape => { 'sides' => [1, 'b'] } }
}
