class base::values {
  [$first, $second] = [1, 'two']
  $h = { 'x' => $first, 'y' => [$second, *['three', 'four']] }
  $text = @(END:json)
    {"a": [1, 2]}
    | - END
  $all = {
    int => 0777, hex => 0xFF, float => 1.50e2, neg => -(3), not => !true, div => 7 / 2, mod => -7 % 3,
    shift => 1 << 4, cat => [1] + [2] - [1], hash => $h + { 'z' => undef }, del => $h - ['x'],
    cmp => 'ABC' == 'abc', match => 'abc' =~ /B/, isin => 'B' in 'abc', sel => 3 ? { Integer[5] => big, default => small },
    str => "a${1 + 1}${h['y'][-1]}\u{1F600}", sem => SemVer('1.2.3') > SemVer('1.2.3-rc1'), span => Timespan('1-00:00:30'),
    stamp => Timestamp('2024-01-01'), bin => Binary('aGk='), re => /x/, type => Tuple[Integer, String], dflt => default,
    uri => URI('http://a/b'), sorted => [3, 1, 2].sort, step => Array(Integer[0, 10].step(5)), rev => [1, 2].reverse_each.map |$x| { $x },
  }
  notify { 'values': message => $all }
  notify { 'text': message => $text }
  notify { 'texts': message => String($all['hash'], '%#p') }
  $r = [1, 2, 3, 4].each |$n| { if $n > 2 { break() } next() }
  notify { 'iteration': message => $r.slice(3).map |$s| { $s.size } }
  Resource['notify'] { 'dynamic': message => $facts.dig('networking', 'hostname') }
  create_resources('@notify', { 'virtual' => { 'message' => 1 } }, { 'tag' => 'v' })
  Notify <| tag == v |>
}
