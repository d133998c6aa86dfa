import { expect, it } from 'vitest';
import { parseJson } from '../../../../shared/puppet/serialization/json.ts';
import { printYaml } from '../../../../shared/puppet/serialization/yaml-emitter.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';

const WORDS = 'word '.repeat(20).trim();

// Recorded from Ruby 3.1: Psych 4 on libyaml 0.2.5.
it.each([
  ['""', "--- ''\n"],
  ['"true"', "--- 'true'\n"],
  ['"08"', "--- '08'\n"],
  ['"a: b"', "--- 'a: b'\n"],
  ['"#x"', '--- "#x"\n'],
  ['"y"', '--- "y"\n'],
  ['"tab\\there"', '--- "tab\\there"\n'],
  ['"a\\nb"', '--- |-\n  a\n  b\n'],
  ['"a\\n"', "--- 'a\n\n  '\n"],
  ['["a\\n\\nb\\n\\n","x"]', '---\n- |+\n  a\n\n  b\n\n- x\n...\n'],
  ['["a\\n\\nb\\n\\n","c\\nd"]', '---\n- |+\n  a\n\n  b\n\n- |-\n  c\n  d\n'],
  ['null', '---\n'],
  ['1.5', '--- 1.5\n'],
  ['[]', '--- []\n'],
  [
    '{"a":["x",{"b":1,"c":[1,2]}],"d":{"e":{"f":"g"}}}',
    '---\na:\n- x\n- b: 1\n  c:\n  - 1\n  - 2\nd:\n  e:\n    f: g\n',
  ],
  ['[[1,[2]],{}]', '---\n- - 1\n  - - 2\n- {}\n'],
  ['{"k":null,"true":1}', "---\nk:\n'true': 1\n"],
  [JSON.stringify({ t: WORDS }), `---\nt: ${'word '.repeat(16).trim()}\n  ${'word '.repeat(4).trim()}\n`],
])('%s', (json, yaml) => {
  expect(printYaml(parseJson(json))).toBe(yaml);
});

// Recorded from Ruby 3.1 and 3.3: what is no simple key stands behind a question mark.
it.each([
  ['{"a\\nb":1,"c":2}', '---\n? |-\n  a\n  b\n: 1\nc: 2\n'],
  ['{"a\\nb":null}', '---\n? |-\n  a\n  b\n:\n'],
  ['{"a\\nb":{"c":1,"d":[2]}}', '---\n? |-\n  a\n  b\n: c: 1\n  d:\n  - 2\n'],
  ['[{"a\\nb":["c","d"]}]', '---\n- ? |-\n    a\n    b\n  : - c\n    - d\n'],
  ['{"a\\n":1,"\\n":2,"a \\nb":3}', '---\n? \'a\n\n  \'\n: 1\n? "\\n"\n: 2\n? "a \\nb"\n: 3\n'],
  [JSON.stringify({ ['x'.repeat(128)]: 1 }), `---\n${'x'.repeat(128)}: 1\n`],
  [JSON.stringify({ ['x'.repeat(129)]: 1 }), `---\n? ${'x'.repeat(129)}\n: 1\n`],
  [JSON.stringify({ ['é'.repeat(65)]: [] }), `---\n? ${'é'.repeat(65)}\n: []\n`],
])('%s', (json, yaml) => {
  expect(printYaml(parseJson(json))).toBe(yaml);
});

// Recorded from Ruby 3.1 and 3.3.
it('prints keys of any kind', () => {
  const list = [1n];
  const hash = PuppetHash.of([['x', 1n]]);
  expect(printYaml(PuppetHash.of([[list, 1n]]))).toBe('---\n? - 1\n: 1\n');
  expect(printYaml(PuppetHash.of([[hash, [2n]]]))).toBe('---\n? x: 1\n: - 2\n');
  expect(printYaml(PuppetHash.of([[[], 1n]]))).toBe('---\n[]: 1\n');
  expect(printYaml(PuppetHash.of([[null, 1n]]))).toBe("---\n! '': 1\n");
  const again = PuppetHash.of([
    [list, 1n],
    ['b', PuppetHash.of([[list, 2n]])],
  ]);
  expect(printYaml(again)).toBe('---\n? &1\n- 1\n: 1\nb:\n  *1 : 2\n');
  expect(printYaml(PuppetHash.of([[hash, hash]]))).toBe('---\n? &1\n  x: 1\n: *1\n');
});

// Recorded from Ruby 3.1, with `indentation`.
it.each([
  [
    '{"a":[1,[2,[3]],{"b":1,"c":[{"d":1}]}]}',
    4,
    '---\na:\n- 1\n-   - 2\n    -   - 3\n-   b: 1\n    c:\n    -   d: 1\n',
  ],
  ['{"t":"l1\\nl2\\n","lead":" l1\\nl2"}', 3, '---\nt: |\n   l1\n   l2\nlead: |3-\n    l1\n   l2\n'],
  [JSON.stringify({ t: WORDS }), 4, `---\nt: ${'word '.repeat(16).trim()}\n    ${'word '.repeat(4).trim()}\n`],
  ['{"a":{"b":"c"}}', 1, '---\na:\n  b: c\n'],
  ['{"a":{"b":"c"}}', 12, '---\na:\n  b: c\n'],
])('%s, %i blanks a level', (json, step, yaml) => {
  expect(printYaml(parseJson(json), step)).toBe(yaml);
});

it('names a collection that occurs again, by the order of second occurrences', () => {
  const inner = PuppetHash.of([['k', 1n]]);
  const outer = [inner];
  const empty: readonly never[] = [];
  expect(printYaml([outer, inner, outer, inner])).toBe('---\n- &2\n  - &1\n    k: 1\n- *1\n- *2\n- *1\n');
  const hash = PuppetHash.of([
    ['a', empty],
    ['b', empty],
    ['h', inner],
    ['i', [inner]],
  ]);
  expect(printYaml(hash)).toBe('---\na: &1 []\nb: *1\nh: &2\n  k: 1\ni:\n- *2\n');
});
