import { describe, expect, it } from 'vitest';
import { compileSource } from '../../../helpers/compile-source.ts';

/** A text of so many letters, which no `^(a+)+$` matches. */
const FACT = `${'a'.repeat(5000)}!`;

function entriesOf(code: string, options: Parameters<typeof compileSource>[1] = {}) {
  const result = compileSource(code, options);
  return 'log' in result ? result.log : expect.fail('the compile asks for something');
}

function logOf(code: string, options: Parameters<typeof compileSource>[1] = {}): string {
  return entriesOf(`$hostile = '${FACT}'\n${code}\nnotice($result)`, options)
    .map(({ message }) => message)
    .join('\n');
}

describe('a hostile pattern', () => {
  it.each([
    ['=~', '$result = $hostile =~ /^(a+)+$/', 'false'],
    ['case', '$result = case $hostile { /^(a|a)*$/: { 1 } default: { 2 } }', '2'],
    ['a selector', '$result = $hostile ? { /\\A([a-z0-9]+[-_]?)+\\z/ => 1, default => 2 }', '2'],
    ['match', '$result = $hostile.match(/(a+a+)+y/)', ''],
    ['match with texts', '$result = [$hostile].match("^(a+)+$")', '[]'],
    ['regsubst', '$result = regsubst($hostile, /(a*)*$/, "b", "G")', `${FACT}b`],
    ['split', '$result = split($hostile, /(?:a|a)+b/).length', '1'],
    ['Pattern', '$result = $hostile =~ Pattern[/^(a+)+$/]', 'false'],
    ['Regexp', '$result = $hostile =~ Regexp["^(a|aa)+$"]', 'false'],
    [
      'a data type with a pattern',
      'type H = Hash[Pattern[/^(a+)+$/], Integer]\n$result = { $hostile => 1 } =~ H',
      'false',
    ],
    ['filter', '$result = [$hostile].filter |$it| { $it =~ /(.*)*y/ }', '[]'],
    ['an EPP template', "$result = inline_epp('<%= $hostile =~ /^(a+)+$/ %>')", 'false'],
    ['blanks at the end', "$result = sprintf('%50000sx', '') =~ /\\s+$/", 'false'],
  ])('is matched in linear time by %s', (_, code, result) => {
    expect(logOf(code)).toBe(result);
  });

  it('is matched in linear time by a node definition', () => {
    const code = 'node /^(a+)+$/ { $result = 1 } node default { $result = 2 notice($result) }';
    expect(entriesOf(code, { certname: `${'a'.repeat(200)}.b` }).map(({ message }) => message)).toEqual(['2']);
  });

  it('is matched in linear time by lookup options', () => {
    const files = {
      'hiera.yaml': 'version: 5\nhierarchy:\n  - name: all\n    path: all.yaml\n',
      'data/all.yaml': `lookup_options:\n  '^(a+)+$':\n    merge: unique\n${'a'.repeat(200)}_b: [1]\n`,
    };
    expect(logOf(`$result = lookup('${'a'.repeat(200)}_b')`, { files })).toBe('[1]');
  });

  it('fails at its place when it takes too many steps all the same', () => {
    const code = "\n  $text = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/'\n  $result = $text =~ /^(a|a)*\\/\\1!/";
    expect(entriesOf(code)).toMatchObject([
      {
        message:
          "Evaluation Error: Error while evaluating a '=~' expression, regular expression needs more than " +
          '10002624 steps for a text of 41 characters: /^(a|a)*\\/\\1!/',
        line: 3,
      },
    ]);
  });
});
