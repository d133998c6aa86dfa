class broken::case15 {
  $list = ['a', 'b']
  notify { $list[1]: message => $list['one'] }
}
