function profile::fold(Array $list, String $by = '+') {
  $list.reduce |$a, $b| { if $b == 99 { break() } "(${a}${by}${b})" }
}
