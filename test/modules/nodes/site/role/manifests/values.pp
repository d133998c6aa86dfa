class role::values {
  $people = lookup('people', Hash, 'deep', {})
  $people.each |String $name, Hash $person| { profile::person { $name: * => $person } }
  $rendered = epp('profile/report.epp', { 'people' => $people, 'options' => { 'deep' => { 'list' => [1, 2.5, true, undef] } } })
  file { '/etc/report': content => $rendered, checksum => 'sha256' }
  file { '/etc/secret': content => Sensitive("k=${lookup('secret').unwrap}"), mode => '0600' }
  file { '/etc/later': content => Deferred('inline_epp', ['<%= $x %>', { 'x' => 1 }]) }
  file { '/etc/deferred-secret': content => Sensitive(Deferred('join', [['a', 'b'], ','])) }
  file { '/etc/binary': content => Binary('AQID/w==') }
  notify { 'rich': message => [SemVer('1.2.3'), Timespan('1-02:03:04'), /re+/, Integer[1, 2], default] }
  notify { 'formats': message => sprintf('%-10s|%05.1f|%x|%+d|%e', 'ab', 3.14159, 255, 7, 12345.678) }
  notify { 'strings': message => String({ 'a' => [1, 'two', 3.0], 'b' => undef }, { Hash => { 'format' => '%#p' }, Integer => '%#x' }) }
  notify { 'numbers': message => [1.0e10, 1e100, 0x1F, 017, -7 / 2, -7 % 3, 7.0 / 2, 1 << 40, 1.0 / 3].map |$n| { "${n}" } }
  $sum = [3, 1, 2].sort.reverse_each.reduce(0) |$memo, $value| { $memo * 10 + $value }
  $grouped = { 'a' => 1, 'b' => 2, 'c' => 1 }.filter |$k, $v| { $v == 1 }.map |$k, $v| { [$v, $k] }.group_by |$pair| { $pair[0] }
  notify { "sum ${sum}": message => $grouped }
  $kinds = [1, 'x', undef, [1], {}, /r/, true, 1.5, Integer, File['/etc/report'], Sensitive(1)].map |$value| {
    case $value {
      Integer[0, 5]: { 'small' }
      String: { "text ${value}" }
      Undef: { 'nothing' }
      Array[Integer], Hash: { 'collection' }
      Type[Resource]: { 'reference' }
      Boolean, Float: { "scalar ${value}" }
      default: { type($value).then |$t| { "${t}" } }
    }
  }
  notify { 'kinds': message => $kinds.join("\n") }
  $nested = { 'list' => [{ 'name' => 'n1', 'ports' => [80, 443] }, { 'name' => 'n2' }] }
  notify { 'dug': message => [$nested.dig('list', 0, 'ports', 1), get($nested, 'list.1.ports', 'none'), $nested['list'][-1]['name'], getvar('facts.os.family')] }
  notify { 'legacy': message => inline_template('<%= @facts["os"]["family"] %> <%= scope["::kernel"] %> <%= scope.lookupvar("role::values::sum") %> <% @kinds.each_with_index do |k, i| -%><%= i %>:<%= k %> <% end -%>') }
  notify { 'own functions': message => [profile::fib(12), profile::shout('hey', 2), profile_old('a', ['b', 'c']), profile::fold([1, 2, 3])] }
  notify { 'heredoc': message => @("END"/$t)
    | host ${facts['networking']['hostname']}\tcosts \$5
    |   kept indent
    |- END
  }
  profile_thing { 'a:b': size => 3, mode => 'fast' }
  file { '/etc/erb': content => template('profile/facts.erb', 'profile/tail.erb') }
}
