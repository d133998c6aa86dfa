import { describe, expect, it } from 'vitest';
import {
  parseJson,
  parseJsonInSteps,
  printJson,
  printJsonInSteps,
  toPlainJson,
} from '../../../../shared/puppet/serialization/json.ts';
import { TooManyValues } from '../../../../shared/puppet/types/format/json-reader.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';

describe('parseJson', () => {
  it.each([
    ['1', 1n],
    ['-0', 0n],
    ['12345678901234567890', 12345678901234567890n],
    ['1.0', 1],
    ['2e3', 2000],
    ['"a\\u00e9\\n\\"\\/"', 'aé\n"/'],
    [' [ true , false,null ] ', [true, false, null]],
    ['[]', []],
  ])('reads %s', (text, value) => {
    expect(parseJson(text)).toEqual(value);
  });

  it('keeps the order of keys and the last of equal ones', () => {
    const hash = parseJson('{"b":1,"1":{},"b":2,"__proto__":3}');
    expect(hash instanceof PuppetHash && [...hash.keys()]).toEqual(['b', '1', '__proto__']);
    expect(hash instanceof PuppetHash && hash.get('b')).toBe(2n);
  });

  it('takes a character that needs no escape for itself, as Ruby does', () => {
    expect(parseJson('["\\x\\n", "\\\\x"]')).toEqual(['x\n', '\\x']);
  });

  it.each([
    ['', "859: unexpected token at ''"],
    ['{', "859: unexpected token at '{'"],
    ['[1,]', "451: unexpected token at ']'"],
    ['{"a" 1}', '859: unexpected token at \'{"a" 1}\''],
    ['nul', "859: unexpected token at 'nul'"],
    ['01', "859: unexpected token at '01'"],
    ['1 2', "859: unexpected token at '2'"],
    ['{"a":[{"b":}]}', '451: unexpected token at \'{"b":}]}\''],
    ['{"a":{"b":}}', '859: unexpected token at \'{"a":{"b":}}\''],
    ['[1 2]', "451: unexpected token at '2]'"],
    ['{"a":NaN}', "225: unexpected token at 'NaN}'"],
    ['{"a":-Infinity}', "249: unexpected token at '-Infinity}'"],
    ['["a', "451: unexpected token at '\"a'"],
    ['[1.]', "451: unexpected token at '.]'"],
    ['['.repeat(101), 'nesting of 101 is too deep'],
  ])('refuses %j with the words of Ruby', (text, message) => {
    expect(() => parseJson(text)).toThrow(new SyntaxError(message));
  });

  it('takes long strings', () => {
    const long = 'x\\n'.repeat(1_000_000);
    expect(parseJson(`"${long}"`)).toHaveLength(2_000_000);
  });
});

describe('in steps', () => {
  const text = `{"a":[${'1,'.repeat(9999)}1],"b":{${Array.from({ length: 5000 }, (_, at) => `"k${at}":"v"`)}}}`;

  function run<T>(steps: Generator<undefined, T>): { readonly pauses: number; readonly value: T } {
    for (let pauses = 0; ; pauses += 1) {
      const { done, value } = steps.next();
      if (done) return { pauses, value };
    }
  }

  it('parses and prints as at once, and pauses every 100 values', () => {
    const parsed = run(parseJsonInSteps(text));
    expect(parsed).toEqual({ pauses: 150, value: parseJson(text) });
    expect(run(printJsonInSteps(parsed.value))).toEqual({ pauses: 150, value: text });
  });

  it('refuses more values than it may take, before it reads them', () => {
    expect(run(parseJsonInSteps(text, 15_003)).value).toEqual(parseJson(text));
    expect(() => run(parseJsonInSteps(text, 15_002))).toThrow(new TooManyValues(15_002));
    expect(() => run(parseJsonInSteps('[1,2,broken', 2))).toThrow('more than 2 values');
  });
});

describe('printJson', () => {
  it.each(['{"b":2,"1":[1.0,-2000.0,"é\\n",12345678901234567890,{},[],null,true]}', '"\\u0001"', '1.0e+20'])(
    'prints %s as it was read',
    (text) => {
      expect(printJson(parseJson(text))).toBe(text);
    },
  );
});

it('gives plain data', () => {
  expect(toPlainJson(parseJson('{"a":[1,1.5,{"b":null}]}'))).toEqual({ a: [1, 1.5, { b: null }] });
});
