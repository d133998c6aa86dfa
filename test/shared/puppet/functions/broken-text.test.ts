import { describe, expect, it } from 'vitest';
import { compileSource } from '../../../helpers/compile-source.ts';

const files = {
  'modules/m/files/latin1': Buffer.from('caf\xe9\n', 'latin1'),
  'modules/m/files/middle': Buffer.from('caf\xe9 2\n', 'latin1'),
  'modules/m/files/half1': Buffer.from('\xc3', 'latin1'),
  'modules/m/files/half2': Buffer.from('\xa9x', 'latin1'),
  'modules/m/files/utf16': Buffer.from('\xff\xfe\x00\x01abc\xe9', 'latin1'),
  'modules/m/files/bom': Buffer.from('\xef\xbb\xbfcaf\xe9', 'latin1'),
  'modules/m/files/jks': Buffer.from('\xfe\xed\xfe\xed\x00\x02', 'latin1'),
  'modules/m/templates/plain.erb': Buffer.from('caf\xe9\n', 'latin1'),
};

/** Compiles with `$x`, the content of a file that is no UTF-8. */
function compileWith(code: string) {
  return compileSource(`$x = file('m/latin1') ${code}`, { files });
}

function logOf(code: string): readonly string[] {
  const result = compileWith(code);
  if (result.status !== 'ok') throw new Error(JSON.stringify(result));
  return result.log.map(({ message }) => message);
}

function errorOf(code: string): string {
  const result = compileWith(code);
  return result.status === 'failed' ? result.error.basic : JSON.stringify(result);
}

// Recorded from Puppet 8.10.
describe('a text of UTF-8 that is not valid', () => {
  it.each([
    ['md5($x)', '70941b2a2a6a84556c97b2a3220ef4be'],
    ['sha1($x)', 'ec641dcd5a045c0401341acb3722194999e1a6f5'],
    ['sha256($x)', '9e4efed0ff1dbcf37240f82e1aad6c763eb9331434d2b394a6441abbbe3634eb'],
    ['$x.length', '5'],
    ['chomp($x).length', '4'],
    ['chop($x).length', '4'],
    ['lstrip($x).length', '5'],
    ["$x == file('m/latin1')", 'true'],
    ["$x == 'caf'", 'false'],
    ["$x in ['a']", 'false'],
    ['$x[0,2]', 'ca'],
    ["$x > 'a'", 'true'],
    ['empty($x)', 'false'],
    ['compare($x, "a")', '1'],
    ["unique([$x, file('m/latin1')]).length", '1'],
    ["sort([$x, 'a']).length", '2'],
    ["$x ? { 'a' => 1, default => 2 }", '2'],
    ["inline_epp('<%= $x %>', { x => $x }).length", '5'],
    ["[$x].join('-').length", '5'],
    ['String($x).length', '5'],
    ['Array($x).length', '5'],
    ["sprintf('%s', $x).length", '5'],
    ["regsubst('a', 'a', $x).length", '5'],
    ['$x =~ String[5,5]', 'true'],
    ["$x =~ Enum['a']", 'false'],
    ['type($x)', 'String'],
    ['$x.map |$c| { $c }.length', '5'],
    ["$x.filter |$c| { $c == '\n' }.length", '1'],
    ['([$x] + [1]).length', '2'],
    [`"\${file('m/half1')}\${file('m/half2')}"`, 'éx'],
    [`md5("\${file('m/half1')}\${file('m/half2')}")`, '6d22e307ebc8f6b11b572685b9f8b4cc'],
    [`"\${file('m/half1')}é".length`, '2'],
    ["file('m/bom').length", '4'],
    ["file('m/jks').length", '6'],
    ["binary_file('m/utf16')", '//4AAWFiY+k='],
    ["md5(template('m/plain.erb'))", '70941b2a2a6a84556c97b2a3220ef4be'],
  ])('%s', (code, expected) => {
    expect(logOf(`notice(${code})`)).toEqual([expected]);
  });

  it.each([
    ['if $x =~ /caf/ { }', "a '=~' expression", 'invalid byte sequence in UTF-8'],
    ['$x =~ Pattern[/a/]', "a '=~' expression", 'invalid byte sequence in UTF-8'],
    ['case $x { /a/: { } default: { } }', "a 'case' statement", 'invalid byte sequence in UTF-8'],
    ['notice($x ? { /a/ => 1, default => 2 })', 'a Selector Expression', 'invalid byte sequence in UTF-8'],
    ["notice($x in 'a caf')", "an 'in' expression", 'input string invalid'],
    ["notice('a' in $x)", "an 'in' expression", 'input string invalid'],
    ['notice(/a/ in $x)', "an 'in' expression", 'invalid byte sequence in UTF-8'],
    ["regsubst($x, 'a', 'b')", 'a Function Call', 'invalid byte sequence in UTF-8'],
    ["split($x, 'a')", 'a Function Call', 'invalid byte sequence in UTF-8'],
    ['$x.match(/c/)', 'a Method call', 'invalid byte sequence in UTF-8'],
    ["versioncmp($x, '1')", 'a Function Call', 'invalid byte sequence in UTF-8'],
    ['strip($x)', 'a Function Call', 'invalid byte sequence in UTF-8'],
    ['rstrip($x)', 'a Function Call', 'invalid byte sequence in UTF-8'],
    ['camelcase($x)', 'a Function Call', 'invalid byte sequence in UTF-8'],
    ['shellquote($x)', 'a Function Call', 'invalid byte sequence in UTF-8'],
    ['downcase($x)', 'a Function Call', 'input string invalid'],
    ['upcase($x)', 'a Function Call', 'input string invalid'],
    ['capitalize($x)', 'a Function Call', 'input string invalid'],
    ['Integer($x)', 'a Function Call', 'invalid byte sequence in UTF-8'],
    ['SemVer($x)', 'a Function Call', 'invalid byte sequence in UTF-8'],
    ['include($x)', 'a Function Call', 'invalid byte sequence in UTF-8'],
    ['lookup($x)', 'a Function Call', 'invalid byte sequence in UTF-8'],
    ['fail($x)', 'a Function Call', 'caf\ufffd\n'],
    ["md5(file('m/utf16'))", 'a Function Call', 'ASCII incompatible encoding needs binmode'],
    ['notify { $x: }', 'a Resource Statement', 'invalid byte sequence in UTF-8'],
    [`notify { "a\${x}": }`, 'a Resource Statement', 'invalid byte sequence in UTF-8'],
  ])('fails in %s', (code, place, detail) => {
    expect(errorOf(code)).toBe(`Evaluation Error: Error while evaluating ${place}, ${detail}`);
  });

  const PARTIAL = 'Could not render to rich_data_json: partial character in source, but hit end';
  it.each([
    ["file { '/x': content => $x }", PARTIAL],
    ["file { '/x': content => Sensitive($x) }", PARTIAL],
    ["notify { 'x': message => [$x] }", PARTIAL],
    ['class a (String $x) { } class { a: x => $x }', PARTIAL],
    [
      "notify { 'x': message => file('m/middle') }",
      'Could not render to rich_data_json: source sequence is illegal/malformed utf-8',
    ],
  ])('cannot be in a catalog: %s', (code, message) => {
    expect(errorOf(code)).toBe(message);
  });

  it('is shown in a log by its bytes', () => {
    expect(logOf(`notice($x) warning("a\${x}b", 1)`)).toEqual([
      'Received a Log attribute with invalid encoding:"caf\\xE9\\n"',
      'Received a Log attribute with invalid encoding:"acaf\\xE9\\nb 1"',
    ]);
  });
});
