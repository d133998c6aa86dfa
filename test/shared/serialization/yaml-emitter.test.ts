import { expect, it } from 'vitest';
import { parseJson } from '../../../shared/serialization/json.ts';
import { printYaml } from '../../../shared/serialization/yaml-emitter.ts';
import { PuppetHash } from '../../../shared/types/puppet-hash.ts';

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
