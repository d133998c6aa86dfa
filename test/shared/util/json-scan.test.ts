import { describe, expect, it } from 'vitest';
import { DEEPEST_JSON, isOneJsonValue, readJsonMembers, readJsonText } from '../../../shared/util/json-scan.ts';
import { SeededChance } from '../../fuzz/seeded-chance.ts';

const nest = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('isOneJsonValue', () => {
  it.each([
    ['null', true],
    [' [1, -0.5e+3, "a\\u00e9\\n", {"b": [], "c": {}}, true, false] \r\n\t', true],
    ['0', true],
    ['12345678901234567890.5', true],
    ['"é✓"', true],
    ['', false],
    [' ', false],
    ['1 2', false],
    ['01', false],
    ['1.', false],
    ['.5', false],
    ['1e', false],
    ['-', false],
    ['+1', false],
    ['nul', false],
    ['nullx', false],
    ['"a', false],
    ['"a\nb"', false],
    ['"\\x41"', false],
    ['"\\u12g4"', false],
    ['[1,]', false],
    ['[,1]', false],
    ['[1 2]', false],
    ['[1}', false],
    ['{"a":1,}', false],
    ['{"a" 1}', false],
    ['{a:1}', false],
    ['{"a":1', false],
    ['\u00a01', false],
  ])('of %j is %s', (text, expected) => {
    expect(isOneJsonValue(Buffer.from(text))).toBe(expected);
  });

  it('has a limit of depth', () => {
    expect(isOneJsonValue(Buffer.from(nest(DEEPEST_JSON)))).toBe(true);
    expect(isOneJsonValue(Buffer.from(nest(DEEPEST_JSON + 1)))).toBe(false);
    const maps = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    expect(isOneJsonValue(Buffer.from(maps(DEEPEST_JSON)))).toBe(true);
    expect(isOneJsonValue(Buffer.from(maps(DEEPEST_JSON + 1)))).toBe(false);
  });

  it('agrees with JSON.parse on mutated texts', () => {
    const chance = new SeededChance(20261122);
    const characters = [...'{}[]",:0123456789.eE+-tfnu\\ \nabé\u0001'];
    const texts = Array.from({ length: 20_000 }, () => {
      const whole = [...'{"a":[1,-2.5e3,"x\\u00e9\\"",{"b":null}],"c":true} '];
      for (let left = chance.below(4); left > 0; left -= 1) {
        whole.splice(chance.below(whole.length), chance.below(2), chance.of(characters));
      }
      return whole.join('');
    });
    expect(texts.filter(parses).length).toBeGreaterThan(2000);
    expect(texts.filter((text) => isOneJsonValue(Buffer.from(text)) !== parses(text))).toEqual([]);
  });
});

describe('readJsonMembers', () => {
  const read = (text: string) => {
    const bytes = Buffer.from(text);
    const members = readJsonMembers(bytes);
    return members && [...members].map(([key, { start, end }]) => [key, bytes.toString('utf8', start, end)]);
  };

  it.each([
    ['{}', []],
    [' { } ', []],
    [
      '{"a": 1.50 , "b":{"c":[1]}}',
      [
        ['a', '1.50'],
        ['b', '{"c":[1]}'],
      ],
    ],
    ['{"\\u0061": "x"}', [['a', '"x"']]],
    ['{"a":1,"a":2}', [['a', '2']]],
    ['{"__proto__":1}', [['__proto__', '1']]],
    ['{"a":1} 2', null],
    ['{"a":1,}', null],
    ['{"a":}', null],
    ['[1]', null],
    ['"a"', null],
  ])('of %j are %j', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it('gives spans of strings that readJsonText reads', () => {
    const bytes = Buffer.from('{"a":"é\\n\\u0041","b":7}');
    const members = readJsonMembers(bytes);
    const texts = [...(members ?? [])].map(([key, span]) => [key, readJsonText(bytes, span)]);
    expect(texts).toEqual([
      ['a', 'é\nA'],
      ['b', null],
    ]);
  });
});
