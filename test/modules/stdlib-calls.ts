/**
 * Calls of stdlib's functions as code makes them, by function; each is a list of arguments in
 * Puppet code.
 */
const TYPICAL: Readonly<Record<string, readonly (readonly string[])[]>> = {
  any2array: [["'a'"], ["{'a' => 1, 'b' => [2]}"], ["['a', [1]]"], ["'a'", '1']],
  any2bool: [["'yes'"], ["'f'"], ["'1'"], ["'12'"], ["'-1.5'"], ['0'], ['2.5'], ["{'a' => 1}"]],
  assert_private: [[], ["'not you'"]],
  base64: [
    ["'encode'", "'hello world'"],
    ["'encode'", "'ünï → 語'", "'strict'"],
    ["'encode'", "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'", "'default'"],
    ["'decode'", "'aGVsbG8='"],
    ["'decode'", "'aGVsbG8'", "'strict'"],
    ["'decode'", "'-_8='", "'urlsafe'"],
    ["'encode'", "'ab?>'", "'urlsafe'"],
    ["'other'", "'a'"],
  ],
  basename: [["'/a/b.txt'"], ["'/a/b.txt'", "'.txt'"], ["'/a/b.txt'", "'.*'"], ["'/'"], ["'a//b//'"]],
  batch_escape: [["'a b'"], ["'a\"b\\\\c'"], ["'^%<>|&'"]],
  bool2num: [['true'], ["'false'"], ["'y'"]],
  bool2str: [['true'], ['false', "'on'", "'off'"]],
  clamp: [['1', '5', '3'], ["'24'", "['575', 187]"], ['[4, 3, 1]'], ['1', '2']],
  concat: [
    ["['1']", "'2'"],
    ["['1']", "['2', ['3']]", "'4'"],
    ['[]', "{'a' => 1}"],
  ],
  convert_base: [
    ['5', '2'],
    ["'254'", "'16'"],
    ["'-7'", '36'],
    ["'12345678901234567890123'", "'8'"],
    ["'5'", "'37'"],
  ],
  count: [["['a', 'b', 'a']", "'a'"], ["['a', '', undef, false]"], ["{'a' => 1, 'b' => undef}"], ["'abca'", "'a'"]],
  deep_merge: [
    ["{'a' => {'b' => 1}}", "{'a' => {'c' => [1]}}"],
    ["{'a' => 1}", "''", "{'b' => undef}"],
    ["{'a' => [1]}", "{'a' => [2], 'b' => {'c' => {'d' => 1}}}", "{'b' => {'c' => 1}}"],
  ],
  defined_with_params: [
    ["Package['a']", "{'ensure' => 'present'}"],
    ["Package['a']", "{'ensure' => 'absent'}"],
    ["'Package[a]'", '{}'],
    ["Package['z']", "{'ensure' => 'present'}"],
    ["[Package['z'], Package['a']]", "{'ensure' => 'present'}"],
    ["File['/f']", "{'mode' => '0644', 'owner' => undef}"],
  ],
  delete: [
    ["['a', 'b', 'a']", "'a'"],
    ["'abcabc'", "'b'"],
    ["{'a' => 1, 'b' => 2}", "['a', 'b']"],
    ["['a', 1]", '1'],
  ],
  delete_at: [
    ["['a', 'b', 'c']", '1'],
    ["['a', 'b']", "'1'"],
    ["['a', 'b', 'c']", '-1'],
  ],
  delete_regex: [
    ["['a', 'b', 'ab']", "'^a'"],
    ["{'a' => 1, 'b' => 2}", "['a', 'c']"],
    ["['a.b']", "'\\\\.'"],
  ],
  delete_undef_values: [["{'a' => undef, 'b' => '', 'c' => false}"], ["['a', undef, '', 'undef', [undef]]"]],
  delete_values: [
    ["{'a' => 'x', 'b' => 'y'}", "'x'"],
    ["{'a' => [1], 'b' => 1}", '[1]'],
  ],
  deprecation: [
    ["'key'", "'message'"],
    ["'key'", "'message'", 'false'],
  ],
  difference: [
    ["['a', 'b', 'c', 'b']", "['b']"],
    ['[1, 2, 2.0]', '[2]'],
  ],
  dig44: [
    ["{'a' => [{'b' => 1}]}", "['a', 0, 'b']"],
    ["{'a' => [1]}", "['a', '0']", "'no'"],
    ["{'a' => 1}", "['x', 'y']", "'d'"],
  ],
  dirname: [["'/a/b.txt'"], ["'/a/b/'"], ["'a'"], ["'//'"]],
  dos2unix: [['"a\\r\\nb\\r\\n"'], ['"a\\n\\r"']],
  enclose_ipv6: [
    ["'::1'"],
    ["['127.0.0.1', '0:0:0:0:0:0:0:1', 'fe80::1', 'fe80::1']"],
    ["'host'"],
    ["'*'"],
    ["'fe80::1%eth0'"],
  ],
  ensure_packages: [
    ["['curl', 'jq']"],
    ["'curl'", "{'ensure' => 'latest'}"],
    ["{'curl' => {'ensure' => '1'}, 'jq' => {}}", "{'provider' => 'apt'}"],
    ["['a', 'a']"],
  ],
  ensure_resource: [
    ["'package'", "'b'", "{'ensure' => 'installed'}"],
    ["'package'", "['a', 'b']", "{'ensure' => 'present'}"],
    ["'file'", "'/f'", '{}'],
    ["'file'", "'/f'", "{'mode' => '0600'}"],
    ["'counted'", '80'],
    ["'counted'", "[80, 'x', -1]", '{}'],
    ["'Counted'", '7', "{'by' => 2}"],
    ["'counted'", '6', "{'by' => 2}"],
    ["'counted'", '5', "{'none' => 2}"],
    ["'notify'", '80', "{'message' => 1}"],
    ["'notify'", "[80, 80, '80']"],
  ],
  ensure_resources: [
    ["'package'", "{'b' => {'ensure' => 'present'}}", "{'provider' => 'apt'}"],
    ["'package'", "{'a' => {'ensure' => 'absent'}}"],
    ["'file'", "{'/g' => {}, '/f' => {}}"],
  ],
  fact: [
    ["'os.name'"],
    ["'os.release.major'"],
    ["'os.none.x'"],
    ["'none'"],
    ["'kernel.x'"],
    ["'processors.count'"],
    ['\'"os".name\''],
  ],
  fqdn_rand_string: [['10'], ["'5'", "'ab'"], ['8', "''", "'seed'"], ['8', "'ünï'", "'seed'", '1']],
  fqdn_rotate: [["['a', 'b', 'c', 'd']"], ["'abcdef'", "'seed'"], ["['a', 'b', 'c']", '1', "'x'"]],
  fqdn_uuid: [["'example.com'"], ["'ünï.example.com'"]],
  get_module_path: [["'stdlib'"], ["'none'"]],
  getparam: [
    ["Package['a']", "'ensure'"],
    ["File['/f']", "'mode'"],
    ["File['/f']", "'none'"],
    ["Package['z']", "'ensure'"],
    ["'Package[a]'", "'ensure'"],
  ],
  glob: [["'/nowhere/*'"], ["['/nowhere/*', '/none/**']"]],
  grep: [
    ["['aaa', 'bbb', 'aab']", "'aa'"],
    ["['a.b', 1]", "'\\\\.'"],
  ],
  has_interface_with: [
    ["'lo'"],
    ["'ipaddress'", "'192.0.2.10'"],
    ["'macaddress'", "'x'"],
    ["'ipaddress'", "'127.0.0.1'"],
  ],
  has_ip_address: [["'192.0.2.10'"], ["'127.0.0.1'"]],
  has_ip_network: [["'127.0.0.0'"], ["'192.0.2.0'"]],
  has_key: [
    ["{'a' => undef}", "'a'"],
    ['{1 => 2}', '1'],
  ],
  hash: [["['a', 1, 'b', 2]"], ["[['a', 1], ['b', [2]]]"], ["['a', 1, 'b']"]],
  intersection: [
    ["['a', 'b', 'b']", "['b', 'c']"],
    ['[1, 2]', '[2.0, 1]'],
  ],
  is_a: [
    ["'a'", 'String'],
    ['1', 'Integer[2]'],
    ['[1]', 'Array[Integer]'],
  ],
  is_array: [["['a']"], ["'a'"], ['[]', '1']],
  is_bool: [['true'], ["'true'"], ['undef']],
  is_function_available: [["'include'"], ["'pick'"], ["'nope'"], ["'concat'"]],
  is_string: [["'a'"], ["'1'"], ["'1.0'"], ["'-x'"], ["''"], ['undef'], ['1']],
  join_keys_to_values: [
    ["{'a' => 1, 'b' => [2, 3]}", "' is '"],
    ["{'a' => undef, 'b' => {'c' => 1}}", "'='"],
  ],
  load_module_metadata: [["'none'"], ["'none'", 'true']],
  loadjson: [["'/nowhere.json'"], ["'/nowhere.json'", "{'a' => 1}"]],
  loadyaml: [["'/nowhere.yaml'"], ["'/nowhere.yaml'", "{'a' => 1}"]],
  member: [
    ["['a', 'b']", "'a'"],
    ["['a', 'b']", "['a', 'c']"],
    ['[1]', '1.0'],
  ],
  merge: [["{'a' => 1, 'b' => 2}", "{'b' => 3}", "''"], ["{'a' => 1}", 'undef', "{'c' => {'d' => 1}}"], ['[1, 2]']],
  num2bool: [['0'], ["'1'"], ["'-2.5'"], ['1.0']],
  os_version_gte: [
    ["'Debian'", "'9'"],
    ["'Debian'", "'14.04'"],
    ["'Ubuntu'", "'9'"],
  ],
  parsehocon: [["'a = 1'"], ['\'{a : { b : [1, "x"] }}\''], ["'a = '", "'d'"]],
  parsejson: [['\'{"a": [1, 2.5, null, true]}\''], ["'{'"], ["'{'", "'d'"], ['\'"a"\''], ["'1e3'"], ["''", "'d'"]],
  parsepson: [['\'{"a": [1, 2.5, null, true]}\''], ["'{'"], ["'{'", "'d'"], ['\'"a"\''], ['\'["\\u00fc"]\'']],
  parseyaml: [
    ["'a: [1, 2.5, ~, yes]'"],
    ['"a: b: c"'],
    ['"a: b: c"', "'d'"],
    ["'x'"],
    ["'- :a'"],
    ['"---\\na: 2001-01-01\\n"'],
  ],
  pick: [["''", 'undef', "'a'"], ["''"], ['false', '1']],
  pick_default: [
    ["''", 'undef', "'a'"],
    ["''", 'undef'],
    ['false', '1'],
  ],
  powershell_escape: [["'a b'"], ["'a\"b`c$d'"], ['"a\'b\\nc"']],
  prefix: [["['a', 'b']", "'p-'"], ["{'a' => 1}", "'p'"], ["['a']"], ['[1, [2]]', "'x'"]],
  pw_hash: [
    ["'secret'", "'sha-512'", "'salt'"],
    ["'secret'", "'MD5'", "'salt'"],
    ["''", "'sha-256'", "'a'"],
    ["Sensitive('p')", "'sha-256'", "'salt'"],
    ["'p'", "'none'", "'salt'"],
    ["'p'", "'sha-256'", "'sa lt'"],
    ["'p'", "'bcrypt'", "'05$./abcdefghijklmnopqr t'"],
    ["''", "'bcrypt-a'", "'05$./abcdefghijklmnopqrst'"],
  ],
  range: [
    ['1', '5'],
    ["'a'", "'e'", '2'],
    ["'01..03'"],
    ["'host01'", "'host10'"],
    ['5', '1'],
    ["'1...4'"],
    ['1', '9', "'3'"],
  ],
  regexpescape: [["'a.b*[c]'"], ['[\'a+\', "b\\n c#-"]']],
  reject: [
    ["['aaa', 'bbb', 'aab']", "'aa'"],
    ["['a.b', 1]", "'\\\\.'"],
  ],
  reverse: [["'abc'"], ['[1, [2], 3]'], ["'e\\u{301}'"]],
  seeded_rand: [
    ['100', "'bar'"],
    ["'7'", "'ü'"],
  ],
  seeded_rand_string: [
    ['10', "'seed'"],
    ['5', "'seed'", "'abc'"],
  ],
  shell_escape: [["'a b'"], ['"it\'s\\n$x"'], ["''"], ["'ü'"]],
  shell_join: [["['a b', 'c', '']"], ["['ü', \"it's\"]"]],
  shell_split: [['\'a "b c" d\\\\ e\''], ['"a \'b"'], ["'  x  '"]],
  sprintf_hash: [
    ["'%<a>d %{b}'", "{'a' => 1, 'b' => 'x'}"],
    ["'%{z}'", "{'a' => 1}"],
    ["'%<a>08.3f'", "{'a' => 1.5}"],
  ],
  squeeze: [["'aabbcc'"], ["'aabbcc'", "'ab'"], ["['aabb', 'cc']", "'a-c'"]],
  'stdlib::end_with': [
    ["'foobar'", "'bar'"],
    ["'foobar'", "['a', 'r']"],
  ],
  'stdlib::extname': [["'a.txt'"], ["'.profile'"], ["'a.b/c'"], ["'a.'"]],
  'stdlib::ip_in_range': [
    ["'192.168.100.12'", "'192.168.100.0/24'"],
    ["'10.1.1.1'", "['10.2.0.0/16', '10.1.0.0/16']"],
    ["'fe80::1'", "'fe80::/10'"],
    ["'a'", "'10.0.0.0/8'"],
  ],
  'stdlib::start_with': [
    ["'foobar'", "'foo'"],
    ["'foobar'", "['a', 'f']"],
  ],
  'stdlib::str2resource': [["'Package[a]'"], ["'File[/f]'"], ["'Package[z]'"], ["'nothing'"]],
  'stdlib::xml_encode': [['\'<a b="c">&\''], ['\'<a b="c">&\'', "'attr'"], ['"it\'s ü"', "'text'"]],
  str2bool: [["'yes'"], ["'0'"], ["'undef'"], ["'TRUE'"], ["'nope'"], ['"x\\ny"']],
  suffix: [["['a', 'b']", "'-s'"], ["{'a' => 1}", "'s'"], ["['a']"]],
  swapcase: [["'aBc'"], ["['aB', 'ÜßÉ']"]],
  time: [[], ["'UTC'"]],
  to_bytes: [["'4 kB'"], ["'1.5G'"], ['5'], ["'x'"], ["'3 ZB'"], ["'-2 MB'"]],
  to_json: [["{'a' => [1, 2.5, undef, true, 'ü\"']}"], ["'</script>'"], ['1e20'], ['[[], {}]']],
  to_json_pretty: [
    ["{'a' => [1, undef, {'b' => undef}], 'e' => []}"],
    ["{'a' => undef, 'b' => 1}", 'true'],
    ["{'a' => [1]}", 'false', "{'indent' => '    ', 'space' => ''}"],
  ],
  to_python: [["{'a' => [1, 2.5, undef, true, 'ü\"']}"], ["'it\\'s'"], ['false']],
  to_ruby: [["{'a' => [1, 2.5, undef, true, 'ü\"#{x}']}"], ["'it\\'s'"], ['false']],
  to_toml: [
    ["{'a' => undef, 't' => {'b' => undef, 'c' => [undef]}, 'u' => {'v' => undef}}"],
    ["{'a' => 1, 't' => {'b' => 'c', 'd' => [1, 2]}}"],
    ["{'x' => [{'a' => 1.5}, {'b' => true}]}"],
    ["{'a b' => 'ü'}"],
  ],
  to_yaml: [
    ["{'a' => ['x', 1, undef, true, '']}"],
    ["'yes'"],
    ["{'a' => {'b' => [1]}}", "{'indentation' => 4}"],
    ['"a\\nb\\n"'],
    ["['1', 'null', '0x1f', '1e3', ': ', '- a']"],
  ],
  type_of: [["'a'"], ['[1, 2.5]'], ["{'a' => undef}"]],
  union: [
    ["['a', 'b']", "['b', 'c']", "['d']"],
    ['[1, 1]', '[1.0]'],
  ],
  unix2dos: [['"a\\nb\\r\\n"']],
  uriescape: [["'a b/ü?x=1&y'"], ["['a b', 1]"]],
  validate_absolute_path: [["'/a'"], ["['/a', '/b']", "'/c'"], ["'C:/a'"], ["'a'"], ['[]']],
  validate_array: [["['a']"], ["['a']", '[]'], ["'a'"]],
  validate_bool: [['true'], ['true', 'false'], ["'true'"]],
  validate_hash: [["{'a' => 1}"], ['{}', '{}'], ['[]']],
  validate_integer: [
    ['1'],
    ["'5'", '9'],
    ['5', "'9'", '1'],
    ['5', 'undef', '1'],
    ['5', "''", '6'],
    ["[1, '2']", '3'],
    ['7', '6'],
    ['0', '5', '1'],
    ['1', '1', '2'],
    ["'0x1F'"],
  ],
  validate_legacy: [
    ['String', "'validate_string'", "'a'"],
    ['Integer', "'validate_integer'", "'5'"],
    ["'Optional[String]'", "'validate_string'", 'undef'],
    ["Enum['a']", "'validate_re'", "'b'", "['^a$', 'b']"],
    ["Enum['a', 'b']", "'validate_re'", "'b'", "[['^a$', '^b$'], 'a or b']"],
    ["Enum['a', 'c']", "'validate_re'", "'c'", "[['^a$', ['^b$']], 'no']"],
    ["Enum['a']", "'validate_re'", "'b'", "[['^a$', ['^b$']]]"],
    ['Boolean', "'validate_bool'", "'true'"],
  ],
  validate_re: [
    ["'one'", "'^one$'"],
    ["'one'", "['^one', '^two']"],
    ["'one'", "['^three', '^two']", "'neither'"],
    ["'a'", "'('"],
  ],
  validate_string: [["'a'"], ["'a'", 'undef', "''"], ['1'], ["['a']"]],
  values_at: [
    ["['a', 'b', 'c']", "['0', '1-2']"],
    ["['a', 'b', 'c']", '1'],
    ["['a', 'b', 'c']", "'0..1'"],
    ["['a']", '5'],
  ],
  zip: [
    ["['1', '2']", "['4', '5', '6']"],
    ['[1, 2]', '[3, 4]', 'true'],
    ['[1, [2]]', '[[3], 4]', "'yes'"],
  ],
};

/** What takes the place of each argument. */
const EDGES: readonly string[] = [
  ...[
    'undef',
    "''",
    "' '",
    "'a'",
    "'ünï → 語'",
    '"a\\nb"',
    "'10'",
    "'-1.5'",
    "'true'",
    "'undef'",
    '0',
    '-1',
    '3',
    '2.5',
  ],
  ...[
    'true',
    'false',
    '[]',
    '[undef]',
    "['a', '', undef, 1]",
    "[['a'], [['b', 2.5]]]",
    "['ü', true, {'k' => 'v'}]",
    '{}',
  ],
  ...[
    "{'a' => undef}",
    "{'a' => {'b' => [1, 'ü']}}",
    "{1 => 2.0, true => 'x'}",
    "Sensitive('s')",
    '[Sensitive(1)]',
    '/a+/',
  ],
  ...[
    '9223372036854775807',
    '-9223372036854775808',
    '1.0e300',
    '-0.0',
    "'0x1f'",
    "'1e3'",
    "'a,b c'",
    "'%s\\\\ $x'",
    "'😀é'",
    '"e\\u{301}\\t\\r\\n"',
    "['b', 'a', 'b']",
    '[3, 1, 2]',
    "[['a', 1], ['b', [2]]]",
    "{'x' => ['y', {'z' => undef}], 'w' => 2.5}",
    "{'a' => Sensitive({'b' => 1})}",
    'Sensitive([1, undef])',
    "Timestamp('2020-02-29T12:30:45.5 UTC')",
    "Timespan('1-02:03:04')",
    "Binary('/+8=')",
    "SemVerRange('>=1.0.0 <2.0.0')",
    'Integer[1, 3]',
    'Optional[Array[String]]',
    "Class['main']",
    "[File['/f'], 'x']",
    '/(?i:x y)\\/z/',
  ],
  ...['String', "Package['a']", 'default', "SemVer('1.2.3')", '[/x/, default, Integer]'],
];

/** A generator of numbers below `limit`, the same in each run. */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % limit;
  };
}

/** Functions that do something as many times as an argument says. */
const COUNTING: ReadonlySet<string> = new Set(['fqdn_rand_string', 'range', 'seeded_rand_string']);

/** Byte strings: of ASCII, and with other bytes in a list. */
const BYTES: readonly string[] = ["base64('decode', 'YWJj')", "[base64('decode', 'w6k=')]"];

/** The functions that are called. */
export const CALLED: readonly string[] = Object.keys(TYPICAL);

/**
 * Calls of that function, as lists of arguments: typical ones, each with other values, with less,
 * with more, and random ones.
 */
export function callsOf(name: string): readonly (readonly string[])[] {
  const typical = TYPICAL[name] ?? [];
  const [first = []] = typical;
  const withBytes = first.flatMap((_, at) => BYTES.map((value) => first.with(at, value)));
  return [...callsLike(name, typical), ...withBytes];
}

/** The same for any function of which typical calls are known. */
export function callsLike(name: string, typical: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const next = numbers(name.length * 7919 + name.charCodeAt(0));
  const edges = COUNTING.has(name) ? EDGES.filter((edge) => !/\d{9}|e300/.test(edge)) : EDGES;
  const edge = () => edges[next(edges.length)] ?? 'undef';
  const replaced = typical.flatMap((args) =>
    args.flatMap((_, at) =>
      (args === typical[0] ? Array.from({ length: 14 }, edge) : [edge()]).map((value) =>
        args.map((arg, index) => (index === at ? value : arg)),
      ),
    ),
  );
  const counts = typical.flatMap((args) => [args.slice(0, -1), [...args, edge()]]).slice(0, 4);
  const random = Array.from({ length: 9 }, (_, index) => Array.from({ length: 1 + (index % 3) }, edge));
  const all = [...typical, ...replaced, ...counts, [], EDGES.slice(0, 6), ...random];
  return [...new Map(all.map((args) => [args.join(', '), args])).values()];
}
