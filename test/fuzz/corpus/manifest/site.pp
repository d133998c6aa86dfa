class a (Optional[String[1]] $b = undef, Hash[String, Integer] $c = {}) {
  $c.each |$k, $v| { notice("${k} ${v + 1}") }
  file { ['/a', '/b']: ensure => file, content => @("END"/L)
    a ${b} \
    | END
  }
  File <| title == '/a' and ensure != absent |> { mode => '0644' }
  @notify { 'x': tag => ['a', 'b'] } -> File['/a'] ~> Class['a']
}
node default { include a }
type T = Variant[Integer[0, 9], Enum['x', "y"], Struct[{ Optional['a'] => Pattern[/b/] }]]
function f(T $x, *$rest) >> String { $x ? { Integer => 'i', default => "${rest[0]['k'].dig('z')}" } }
