import { expect, it } from 'vitest';
import { parseJson } from '../../../shared/serialization/json.ts';
import { printYaml } from '../../../shared/serialization/yaml-emitter.ts';

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
