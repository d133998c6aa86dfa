/**
 * Tokens with their places (line:column from 0) and errors as libyaml's scanner (0.2.5) gives them.
 */
import { describe, expect, it } from 'vitest';
import { YamlScanner } from '../../../../shared/puppet/serialization/yaml-scanner.ts';
import type { YamlToken } from '../../../../shared/puppet/serialization/yaml-tokens.ts';

const TOKENS: Readonly<Record<string, readonly (readonly [source: string, expected: string])[]>> = {
  scalars: [
    ['a', '0:0:plain "a", 1:0:stream-end'],
    ['a b', '0:0:plain "a b", 1:0:stream-end'],
    ['"a b"', '0:0:quoted "a b", 1:0:stream-end'],
    ["'it''s'", '0:0:quoted "it\'s", 1:0:stream-end'],
    ['"a\\tb\\x41\\u20ac\\U0001F600"', '0:0:quoted "a\\tbA€😀", 1:0:stream-end'],
    [
      '"\\0\\a\\b\\e\\f\\n\\r\\v\\"\\/\\\\\\N\\_\\L\\P\\ "',
      '0:0:quoted "\\u0000\\u0007\\b\\u001b\\f\\n\\r\\u000b\\"/\\\\\u0085\u00a0\u2028\u2029 ", 1:0:stream-end',
    ],
    ['"a\n  b"', '0:0:quoted "a b", 2:0:stream-end'],
    ['"a\\\n  b"', '0:0:quoted "ab", 2:0:stream-end'],
    ['"a\n\n  b"', '0:0:quoted "a\\nb", 3:0:stream-end'],
    ["'a\n  b'", '0:0:quoted "a b", 2:0:stream-end'],
    ['a\n b\n c', '0:0:plain "a b c", 3:0:stream-end'],
    ['a # b', '0:0:plain "a", 1:0:stream-end'],
    ['a#b', '0:0:plain "a#b", 1:0:stream-end'],
    ['-a', '0:0:plain "-a", 1:0:stream-end'],
    ['?a', '0:0:plain "?a", 1:0:stream-end'],
    [':a', '0:0:plain ":a", 1:0:stream-end'],
    ['a:b', '0:0:plain "a:b", 1:0:stream-end'],
    ["''", '0:0:quoted "", 1:0:stream-end'],
    ['""', '0:0:quoted "", 1:0:stream-end'],
    ['- -1\n', '0:0:block-sequence-start, 0:0:block-entry, 0:2:plain "-1", 1:0:block-end, 1:0:stream-end'],
    ['~', '0:0:plain "~", 1:0:stream-end'],
  ],
  'block scalars': [
    ['|\n a\n b\n', '0:0:quoted "a\\nb\\n", 3:0:stream-end'],
    ['>\n a\n b\n', '0:0:quoted "a b\\n", 3:0:stream-end'],
    ['>\n a\n\n b\n', '0:0:quoted "a\\nb\\n", 4:0:stream-end'],
    ['|-\n a\n', '0:0:quoted "a", 2:0:stream-end'],
    ['|+\n a\n\n', '0:0:quoted "a\\n\\n", 3:0:stream-end'],
    ['|2\n   a\n', '0:0:quoted " a\\n", 2:0:stream-end'],
    ['|2-\n   a\n', '0:0:quoted " a", 2:0:stream-end'],
    ['>\n a\n   b\n c\n', '0:0:quoted "a\\n  b\\nc\\n", 4:0:stream-end'],
    [
      'a: |\n  b\nc: d\n',
      '0:0:block-mapping-start, 0:0:key, 0:0:plain "a", 0:1:value, 0:3:quoted "b\\n", 2:0:key, 2:0:plain "c", 2:1:value, 2:3:plain "d", 3:0:block-end, 3:0:stream-end',
    ],
    ['|\n\n a\n', '0:0:quoted "\\na\\n", 3:0:stream-end'],
    ['| # c\n a\n', '0:0:quoted "a\\n", 2:0:stream-end'],
  ],
  'block collections': [
    ['- a\n', '0:0:block-sequence-start, 0:0:block-entry, 0:2:plain "a", 1:0:block-end, 1:0:stream-end'],
    [
      '- a\n- b\n',
      '0:0:block-sequence-start, 0:0:block-entry, 0:2:plain "a", 1:0:block-entry, 1:2:plain "b", 2:0:block-end, 2:0:stream-end',
    ],
    ['-\n', '0:0:block-sequence-start, 0:0:block-entry, 1:0:block-end, 1:0:stream-end'],
    [
      '- - a\n  - b\n',
      '0:0:block-sequence-start, 0:0:block-entry, 0:2:block-sequence-start, 0:2:block-entry, 0:4:plain "a", 1:2:block-entry, 1:4:plain "b", 2:0:block-end, 2:0:block-end, 2:0:stream-end',
    ],
    [
      'a: b\n',
      '0:0:block-mapping-start, 0:0:key, 0:0:plain "a", 0:1:value, 0:3:plain "b", 1:0:block-end, 1:0:stream-end',
    ],
    [
      'a: b\nc: d\n',
      '0:0:block-mapping-start, 0:0:key, 0:0:plain "a", 0:1:value, 0:3:plain "b", 1:0:key, 1:0:plain "c", 1:1:value, 1:3:plain "d", 2:0:block-end, 2:0:stream-end',
    ],
    [
      'a:\n  b: c\n',
      '0:0:block-mapping-start, 0:0:key, 0:0:plain "a", 0:1:value, 1:2:block-mapping-start, 1:2:key, 1:2:plain "b", 1:3:value, 1:5:plain "c", 2:0:block-end, 2:0:block-end, 2:0:stream-end',
    ],
    [
      'a:\n- b\n- c\nd: e\n',
      '0:0:block-mapping-start, 0:0:key, 0:0:plain "a", 0:1:value, 1:0:block-entry, 1:2:plain "b", 2:0:block-entry, 2:2:plain "c", 3:0:key, 3:0:plain "d", 3:1:value, 3:3:plain "e", 4:0:block-end, 4:0:stream-end',
    ],
    [
      '- a: b\n  c: d\n',
      '0:0:block-sequence-start, 0:0:block-entry, 0:2:block-mapping-start, 0:2:key, 0:2:plain "a", 0:3:value, 0:5:plain "b", 1:2:key, 1:2:plain "c", 1:3:value, 1:5:plain "d", 2:0:block-end, 2:0:block-end, 2:0:stream-end',
    ],
    ['a:\n', '0:0:block-mapping-start, 0:0:key, 0:0:plain "a", 0:1:value, 1:0:block-end, 1:0:stream-end'],
    [
      '? a\n: b\n',
      '0:0:block-mapping-start, 0:0:key, 0:2:plain "a", 1:0:value, 1:2:plain "b", 2:0:block-end, 2:0:stream-end',
    ],
    ['? a\n', '0:0:block-mapping-start, 0:0:key, 0:2:plain "a", 1:0:block-end, 1:0:stream-end'],
    [
      '? - a\n: - b\n',
      '0:0:block-mapping-start, 0:0:key, 0:2:block-sequence-start, 0:2:block-entry, 0:4:plain "a", 1:0:block-end, 1:0:value, 1:2:block-sequence-start, 1:2:block-entry, 1:4:plain "b", 2:0:block-end, 2:0:block-end, 2:0:stream-end',
    ],
    [
      '"a": b\n',
      '0:0:block-mapping-start, 0:0:key, 0:0:quoted "a", 0:3:value, 0:5:plain "b", 1:0:block-end, 1:0:stream-end',
    ],
    [': b\n', '0:0:block-mapping-start, 0:0:value, 0:2:plain "b", 1:0:block-end, 1:0:stream-end'],
    [
      'a:\n  - b\n c: d\n',
      '0:0:block-mapping-start, 0:0:key, 0:0:plain "a", 0:1:value, 1:2:block-sequence-start, 1:2:block-entry, 1:4:plain "b", 2:1:block-end, 2:1:block-mapping-start, 2:1:key, 2:1:plain "c", 2:2:value, 2:4:plain "d", 3:0:block-end, 3:0:block-end, 3:0:stream-end',
    ],
  ],
  'flow collections': [
    ['[]', '0:0:flow-sequence-start, 0:1:flow-sequence-end, 1:0:stream-end'],
    ['[a]', '0:0:flow-sequence-start, 0:1:plain "a", 0:2:flow-sequence-end, 1:0:stream-end'],
    [
      '[a, b]',
      '0:0:flow-sequence-start, 0:1:plain "a", 0:2:flow-entry, 0:4:plain "b", 0:5:flow-sequence-end, 1:0:stream-end',
    ],
    [
      '[a, b,]',
      '0:0:flow-sequence-start, 0:1:plain "a", 0:2:flow-entry, 0:4:plain "b", 0:5:flow-entry, 0:6:flow-sequence-end, 1:0:stream-end',
    ],
    ['{}', '0:0:flow-mapping-start, 0:1:flow-mapping-end, 1:0:stream-end'],
    [
      '{a: b}',
      '0:0:flow-mapping-start, 0:1:key, 0:1:plain "a", 0:2:value, 0:4:plain "b", 0:5:flow-mapping-end, 1:0:stream-end',
    ],
    [
      '{a: b, c: d}',
      '0:0:flow-mapping-start, 0:1:key, 0:1:plain "a", 0:2:value, 0:4:plain "b", 0:5:flow-entry, 0:7:key, 0:7:plain "c", 0:8:value, 0:10:plain "d", 0:11:flow-mapping-end, 1:0:stream-end',
    ],
    [
      '{a, b}',
      '0:0:flow-mapping-start, 0:1:plain "a", 0:2:flow-entry, 0:4:plain "b", 0:5:flow-mapping-end, 1:0:stream-end',
    ],
    [
      '[a: b]',
      '0:0:flow-sequence-start, 0:1:key, 0:1:plain "a", 0:2:value, 0:4:plain "b", 0:5:flow-sequence-end, 1:0:stream-end',
    ],
    [
      '{a: [b, {c: d}]}',
      '0:0:flow-mapping-start, 0:1:key, 0:1:plain "a", 0:2:value, 0:4:flow-sequence-start, 0:5:plain "b", 0:6:flow-entry, 0:8:flow-mapping-start, 0:9:key, 0:9:plain "c", 0:10:value, 0:12:plain "d", 0:13:flow-mapping-end, 0:14:flow-sequence-end, 0:15:flow-mapping-end, 1:0:stream-end',
    ],
    [
      '[a\n, b]',
      '0:0:flow-sequence-start, 0:1:plain "a", 1:0:flow-entry, 1:2:plain "b", 1:3:flow-sequence-end, 2:0:stream-end',
    ],
    [
      '{? a : b}',
      '0:0:flow-mapping-start, 0:1:key, 0:3:plain "a", 0:5:value, 0:7:plain "b", 0:8:flow-mapping-end, 1:0:stream-end',
    ],
    [
      '["a":b]',
      '0:0:flow-sequence-start, 0:1:key, 0:1:quoted "a", 0:4:value, 0:5:plain "b", 0:6:flow-sequence-end, 1:0:stream-end',
    ],
    ['{a: }', '0:0:flow-mapping-start, 0:1:key, 0:1:plain "a", 0:2:value, 0:4:flow-mapping-end, 1:0:stream-end'],
    [
      '[a,# c\n b]',
      '0:0:flow-sequence-start, 0:1:plain "a", 0:2:flow-entry, 1:1:plain "b", 1:2:flow-sequence-end, 2:0:stream-end',
    ],
  ],
  documents: [
    ['--- a', '0:0:document-start, 0:4:plain "a", 1:0:stream-end'],
    ['---\na\n...\n', '0:0:document-start, 1:0:plain "a", 2:0:document-end, 3:0:stream-end'],
    ['--- a\n--- b', '0:0:document-start, 0:4:plain "a", 1:0:document-start, 1:4:plain "b", 2:0:stream-end'],
    ['%YAML 1.1\n--- a', '0:0:yaml-directive 1.1, 1:0:document-start, 1:4:plain "a", 2:0:stream-end'],
    [
      '%TAG !e! tag:e,2000:\n--- !e!x a',
      '0:0:tag-directive !e! tag:e,2000:, 1:0:document-start, 1:4:tag !e! x, 1:9:plain "a", 2:0:stream-end',
    ],
    ['', '0:0:stream-end'],
    ['# c\n', '1:0:stream-end'],
    ['\n\n', '2:0:stream-end'],
    ['a\n...\nb', '0:0:plain "a", 1:0:document-end, 2:0:plain "b", 3:0:stream-end'],
  ],
  properties: [
    ['&a b\n', '0:0:anchor a, 0:3:plain "b", 1:0:stream-end'],
    ['*a\n', '0:0:alias a, 1:0:stream-end'],
    [
      '[&a b, *a]\n',
      '0:0:flow-sequence-start, 0:1:anchor a, 0:4:plain "b", 0:5:flow-entry, 0:7:alias a, 0:9:flow-sequence-end, 1:0:stream-end',
    ],
    ['&a-1 b\n', '0:0:anchor a-1, 0:5:plain "b", 1:0:stream-end'],
    ['!t a\n', '0:0:tag ! t, 0:3:plain "a", 1:0:stream-end'],
    ['!!str a\n', '0:0:tag !! str, 0:6:plain "a", 1:0:stream-end'],
    ['!<x:y> a\n', '0:0:tag  x:y, 0:7:plain "a", 1:0:stream-end'],
    ['! a\n', '0:0:tag  !, 0:2:plain "a", 1:0:stream-end'],
    [
      'a: &b c\nd: *b\n',
      '0:0:block-mapping-start, 0:0:key, 0:0:plain "a", 0:1:value, 0:3:anchor b, 0:6:plain "c", 1:0:key, 1:0:plain "d", 1:1:value, 1:3:alias b, 2:0:block-end, 2:0:stream-end',
    ],
    ['!e%21 a\n', '0:0:tag ! e!, 0:6:plain "a", 1:0:stream-end'],
    [
      '&a\n  b: c\n',
      '0:0:anchor a, 1:2:block-mapping-start, 1:2:key, 1:2:plain "b", 1:3:value, 1:5:plain "c", 2:0:block-end, 2:0:stream-end',
    ],
    [
      '- !t\n  a: b\n',
      '0:0:block-sequence-start, 0:0:block-entry, 0:2:tag ! t, 1:2:block-mapping-start, 1:2:key, 1:2:plain "a", 1:3:value, 1:5:plain "b", 2:0:block-end, 2:0:block-end, 2:0:stream-end',
    ],
    ['[!t a]\n', '0:0:flow-sequence-start, 0:1:tag ! t, 0:4:plain "a", 0:5:flow-sequence-end, 1:0:stream-end'],
  ],
  'keys of more than one word': [
    [
      '[a]: b\n',
      '0:0:block-mapping-start, 0:0:key, 0:0:flow-sequence-start, 0:1:plain "a", 0:2:flow-sequence-end, 0:3:value, 0:5:plain "b", 1:0:block-end, 1:0:stream-end',
    ],
    [
      '{a: b}: c\n',
      '0:0:block-mapping-start, 0:0:key, 0:0:flow-mapping-start, 0:1:key, 0:1:plain "a", 0:2:value, 0:4:plain "b", 0:5:flow-mapping-end, 0:6:value, 0:8:plain "c", 1:0:block-end, 1:0:stream-end',
    ],
    [
      '[a, "b"\n, c]\n',
      '0:0:flow-sequence-start, 0:1:plain "a", 0:2:flow-entry, 0:4:quoted "b", 1:0:flow-entry, 1:2:plain "c", 1:3:flow-sequence-end, 2:0:stream-end',
    ],
    [
      '{"a"\n: b}\n',
      '0:0:flow-mapping-start, 0:1:quoted "a", 1:0:value, 1:2:plain "b", 1:3:flow-mapping-end, 2:0:stream-end',
    ],
    [
      '[[a]: b]\n',
      '0:0:flow-sequence-start, 0:1:key, 0:1:flow-sequence-start, 0:2:plain "a", 0:3:flow-sequence-end, 0:4:value, 0:6:plain "b", 0:7:flow-sequence-end, 1:0:stream-end',
    ],
    [
      'a: [b\n]\n',
      '0:0:block-mapping-start, 0:0:key, 0:0:plain "a", 0:1:value, 0:3:flow-sequence-start, 0:4:plain "b", 1:0:flow-sequence-end, 2:0:block-end, 2:0:stream-end',
    ],
  ],
  'what only the parser refuses': [
    [
      'a: b\n- c\n',
      '0:0:block-mapping-start, 0:0:key, 0:0:plain "a", 0:1:value, 0:3:plain "b", 1:0:block-entry, 1:2:plain "c", 2:0:block-end, 2:0:stream-end',
    ],
    [
      '- a\nb: c\n d\n',
      '0:0:block-sequence-start, 0:0:block-entry, 0:2:plain "a", 1:0:key, 1:0:plain "b", 1:1:value, 1:3:plain "c d", 3:0:block-end, 3:0:stream-end',
    ],
    ['"a"b', '0:0:quoted "a", 0:3:plain "b", 1:0:stream-end'],
    ['[a', '0:0:flow-sequence-start, 0:1:plain "a", 1:0:stream-end'],
    [
      "a: 'b'\n c: d\n",
      '0:0:block-mapping-start, 0:0:key, 0:0:plain "a", 0:1:value, 0:3:quoted "b", 1:1:block-mapping-start, 1:1:key, 1:1:plain "c", 1:2:value, 1:4:plain "d", 2:0:block-end, 2:0:block-end, 2:0:stream-end',
    ],
  ],
};

const ERRORS: readonly (readonly [text: string, message: string])[] = [
  ['a: ? b', 'mapping keys are not allowed in this context at line 1 column 4'],
  ['a: b\nc\n- d\n', "could not find expected ':' while scanning a simple key at line 2 column 1"],
  ['a: b\nc\n---\n', "could not find expected ':' while scanning a simple key at line 2 column 1"],
  ['a: b\nc\n|\n d\n', "could not find expected ':' while scanning a simple key at line 2 column 1"],
  ['a: b\n"c"\n? d\n', "could not find expected ':' while scanning a simple key at line 2 column 1"],
  ['a: b\nc\n%d\n', "could not find expected ':' while scanning a simple key at line 2 column 1"],
  ['!a,b c', 'did not find expected whitespace or line break while scanning a tag at line 1 column 1'],
  ['!a[ b', 'did not find expected whitespace or line break while scanning a tag at line 1 column 1'],
  ['%TAG a', "did not find expected '!' while scanning a tag directive at line 1 column 1"],
  ['%TAG', "did not find expected '!' while scanning a tag directive at line 1 column 1"],
  ['%TAG !a b c', "did not find expected '!' while parsing a tag directive at line 1 column 1"],
  ['%TAG !a!x y', 'did not find expected whitespace while scanning a %TAG directive at line 1 column 1'],
  ['%TAG !a! ', 'did not find expected tag URI while parsing a %TAG directive at line 1 column 1'],
  ['%TAG !a! tag:x y', 'did not find expected comment or line break while scanning a directive at line 1 column 1'],
  ['a: b: c\n', 'mapping values are not allowed in this context at line 1 column 5'],
  ['"a', 'found unexpected end of stream while scanning a quoted scalar at line 1 column 1'],
  ["'a", 'found unexpected end of stream while scanning a quoted scalar at line 1 column 1'],
  ['@a', 'found character that cannot start any token while scanning for the next token at line 1 column 1'],
  ['`a', 'found character that cannot start any token while scanning for the next token at line 1 column 1'],
  ['%a', 'found unknown directive name while scanning a directive at line 1 column 1'],
  [
    '%YAML 1\n--- a',
    "did not find expected digit or '.' character while scanning a %YAML directive at line 1 column 1",
  ],
  ['\ta: b', 'found character that cannot start any token while scanning for the next token at line 1 column 1'],
  ['a:\n\tb: c', 'found character that cannot start any token while scanning for the next token at line 2 column 1'],
  ['a\nb: c\nd', 'mapping values are not allowed in this context at line 2 column 2'],
  ['*', 'did not find expected alphabetic or numeric character while scanning an alias at line 1 column 1'],
  ['&', 'did not find expected alphabetic or numeric character while scanning an anchor at line 1 column 1'],
  ['& a', 'did not find expected alphabetic or numeric character while scanning an anchor at line 1 column 1'],
  ['!<a', "did not find the expected '>' while scanning a tag at line 1 column 1"],
  ['|3x\n a', 'did not find expected comment or line break while scanning a block scalar at line 1 column 1'],
  ['"\\q"', 'found unknown escape character while parsing a quoted scalar at line 1 column 1'],
  ['"\\xZZ"', 'did not find expected hexdecimal number while parsing a quoted scalar at line 1 column 1'],
  ['--- |0\n a', 'found an indentation indicator equal to 0 while scanning a block scalar at line 1 column 5'],
  ['a: "b\n---\nc"', 'found unexpected document indicator while scanning a quoted scalar at line 1 column 4'],
  ['a: - b', 'block sequence entries are not allowed in this context at line 1 column 4'],
];

function scan(text: string): string {
  const scanner = new YamlScanner(text);
  const tokens: string[] = [];
  for (;;) {
    const token = scanner.next();
    tokens.push(`${token.start.line}:${token.start.column}:${show(token)}`);
    if (token.kind === 'stream-end') return tokens.join(', ');
  }
}

function show(token: YamlToken): string {
  switch (token.kind) {
    case 'scalar':
      return `${token.plain ? 'plain' : 'quoted'} ${JSON.stringify(token.value)}`;
    case 'anchor':
    case 'alias':
      return `${token.kind} ${token.name}`;
    case 'tag':
      return `tag ${token.handle} ${token.suffix}`;
    case 'yaml-directive':
      return `${token.kind} ${token.major}.${token.minor}`;
    case 'tag-directive':
      return `${token.kind} ${token.handle} ${token.prefix}`;
    default:
      return token.kind;
  }
}

describe.each(Object.entries(TOKENS))('tokens of %s', (_topic, rows) => {
  it.each(rows)('%j', (text, expected) => {
    expect(scan(text)).toBe(expected);
  });
});

describe('what cannot be scanned', () => {
  it.each(ERRORS)('%j', (text, message) => {
    expect(() => scan(text)).toThrow(expect.objectContaining({ message }));
  });
});

describe('YamlScanner', () => {
  it('peeks at the token that comes next without taking it', () => {
    const scanner = new YamlScanner('a');
    expect(scanner.peek()).toBe(scanner.peek());
    expect(scanner.next()).toMatchObject({ kind: 'scalar', value: 'a' });
    expect(scanner.peek().kind).toBe('stream-end');
  });

  it('takes no key of more than 1,024 characters', () => {
    expect(scan(`${'a'.repeat(1000)}: b`)).toContain('0:0:key');
    expect(() => scan(`${'a'.repeat(1025)}: b`)).toThrow(
      'mapping values are not allowed in this context at line 1 column 1026',
    );
  });
});
