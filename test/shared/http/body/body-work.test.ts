import { describe, expect, it } from 'vitest';
import { BodyRefused } from '../../../../shared/http/body/body-kinds.ts';
import { BODY_WORK } from '../../../../shared/http/body/body-work.ts';
import { SeededChance } from '../../../fuzz/seeded-chance.ts';

const BOUNDS = { depth: 100, values: 100_000 };

function read(text: string, wholes: readonly string[] = []) {
  const { members } = BODY_WORK.readMembers(Buffer.from(text), { ...BOUNDS, wholes });
  return members && [...members];
}

/** The rest of a text at which it is refused. */
function restOf(text: string): string | undefined {
  try {
    read(text);
    return undefined;
  } catch (error) {
    return error instanceof BodyRefused ? error.json?.rest : undefined;
  }
}

describe('readMembers', () => {
  it.each([
    ['{}', []],
    [
      ' { "a" : 1 , "b\\n" : "x\\u00e9\\"", "c":null,"d":true } ',
      [
        ['a', 1],
        ['b\n', 'xé"'],
        ['c', null],
        ['d', true],
      ],
    ],
    [
      '{"a":{"b":[1,{"c":[]}],"d":2},"e":[[1],2],"f":-1.5e3}',
      [
        ['a', {}],
        ['e', []],
        ['f', -1500],
      ],
    ],
    [
      '{"a":1,"a":2,"__proto__":3}',
      [
        ['a', 2],
        ['__proto__', 3],
      ],
    ],
    [
      '{"a":"\\\\","b":"\\\\\\""}',
      [
        ['a', '\\'],
        ['b', '\\"'],
      ],
    ],
    ['[{"a":1}]', null],
    ['"a"', null],
    ['1', null],
  ])('reads %s', (text, members) => {
    expect(read(text)).toEqual(members);
  });

  it.each([
    ['', ''],
    ['{', ''],
    ['{"a"}', '}'],
    ['{"a":}', '}'],
    ['{"a":1,}', '}'],
    ['{"a":1]', ']'],
    ['{"a":[1}', '}'],
    ['{"a":01}', '1}'],
    ['{"a":1.}', '.}'],
    ['{"a":nul}', 'nul}'],
    ['{"a":1} x', 'x'],
    ['{"a":"b', '"b'],
    ['{"a":"\\"', '"\\"'],
    ['{"a":"\\x"}', '"\\x"}'],
    ['{"a":"\n"}', '"\n"}'],
    ['{a:1}', 'a:1}'],
    ['{"a":/* */1}', '/* */1}'],
    [`{"a":${'['.repeat(100)}`, '['],
    [`{"a":"b" ${'x'.repeat(100)}`, 'x'.repeat(60)],
  ])('refuses %j', (text, rest) => {
    expect(restOf(text)).toBe(rest);
  });

  it('takes what JSON.parse takes, and nothing else', () => {
    const chance = new SeededChance(11);
    const tokens = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"b\\\\"',
      '"\\"c"',
      '1',
      '-0.5e1',
      '00',
      'true',
      'null',
      ' ',
      'x',
    ];
    const samples = ['{"a":[1,{"b":"c"},[]],"d":{"e":{}},"f":null}', '{"a":[],"b":{}}', '[{"a":[{}]},2]'];
    const taken = { yes: 0, no: 0 };
    for (let count = 0; count < 4000; count += 1) {
      let text = chance.of(samples);
      for (let edits = chance.below(3); edits > 0; edits -= 1) {
        const at = chance.below(text.length);
        text = text.slice(0, at) + chance.of(tokens) + text.slice(at + chance.below(3));
      }
      const expected = parseMembers(text);
      taken[expected === undefined ? 'no' : 'yes'] += 1;
      if (expected === undefined) expect(restOf(text), text).toBeTypeOf('string');
      // Objects have their whole numbers first.
      else expect(new Map(read(text) ?? []), text).toEqual(new Map(expected ?? []));
    }
    expect(Math.min(taken.yes, taken.no)).toBeGreaterThan(500);
  });

  it('reads members as a whole that are asked for and short', () => {
    const long = JSON.stringify(Array(40_000).fill(1));
    const text = ` { "a" : {"a":[1,{"b":[]}]} , "b":[{}],"c":"a","d":${long},"a2":{"b":[1]}} `;
    expect(read(text, ['a', 'b', 'c', 'd'])).toEqual([
      ['a', { a: [1, { b: [] }] }],
      ['b', [{}]],
      ['c', 'a'],
      ['d', []],
      ['a2', {}],
    ]);
  });
});

/** The same by `JSON.parse`; undefined for what is no JSON. */
function parseMembers(text: string): readonly (readonly [string, unknown])[] | null | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const empty = (item: unknown) => (typeof item !== 'object' || item === null ? item : Array.isArray(item) ? [] : {});
  return Object.entries(value).map(([key, item]) => [key, empty(item)] as const);
}
