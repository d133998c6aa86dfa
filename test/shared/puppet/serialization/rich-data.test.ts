import { describe, expect, it } from 'vitest';
import { fromRichData } from '../../../../shared/puppet/serialization/from-data.ts';
import { printJson } from '../../../../shared/puppet/serialization/json.ts';
import { toRichData } from '../../../../shared/puppet/serialization/to-data.ts';
import { newInstance } from '../../../../shared/puppet/types/construct/new-instance.ts';
import { Timespan } from '../../../../shared/puppet/types/time/timespan.ts';
import { parseType } from '../../../../shared/puppet/types/type-parser.ts';
import { partKey } from '../../../../shared/puppet/types/values/hash-key.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import { PuppetRegexp } from '../../../../shared/puppet/types/values/regexp.ts';
import { DEFAULT, Sensitive, type Value } from '../../../../shared/puppet/types/values/values.ts';

const cases: readonly (readonly [string, Value, string])[] = [
  ['data', ['a', 1n, 1.5, true, null], '["a",1,1.5,true,null]'],
  ['default', DEFAULT, '{"__ptype":"Default"}'],
  ['a regexp', new PuppetRegexp('a.b'), '{"__ptype":"Regexp","__pvalue":"a.b"}'],
  ['Sensitive', new Sensitive(['x']), '{"__ptype":"Sensitive","__pvalue":["x"]}'],
  ['a hash with other keys', PuppetHash.of([[1n, 'x']]), '{"__ptype":"Hash","__pvalue":[1,"x"]}'],
  ['a Timespan', Timespan.fromSeconds(1n), '{"__ptype":"Timespan","__pvalue":"0-00:00:01.0"}'],
  ['a range', parseType('Integer[1]'), '{"__ptype":"Pcore::IntegerType","from":1}'],
  [
    'a Struct',
    parseType('Struct[{Optional[a] => String}]'),
    '{"__ptype":"Pcore::StructType","elements":[{"__ptype":"Pcore::StructElement","key_type":{"__ptype":"Pcore::OptionalType","type":{"__ptype":"Pcore::StringType","size_type_or_value":"a"}},"value_type":{"__ptype":"Pcore::StringType"}}]}',
  ],
  ['Deferred', newInstance(parseType('Deferred'), ['f', [1n]]), '{"__ptype":"Deferred","name":"f","arguments":[1]}'],
];

describe('rich data', () => {
  it.each(cases)('writes %s', (_, value, expected) => {
    expect(printJson(toRichData(value))).toBe(expected);
  });

  it.each(cases)('reads %s', (_, value, text) => {
    expect(partKey(fromRichData(JSON.parse(text)))).toBe(partKey(value));
  });

  it('refers to what it has written already', () => {
    const shared = [1n];
    const data = toRichData([shared, shared], { localReferences: true });
    expect(printJson(data)).toBe('[[1],{"__ptype":"LocalRef","__pvalue":"$[0]"}]');
    expect(fromRichData(data)).toEqual([[1n], [1n]]);
  });

  it('tells what is lost without rich data', () => {
    const said: string[] = [];
    const value = PuppetHash.of([['a', [new PuppetRegexp('x')]]]);
    const data = toRichData(value, { richData: false, messagePrefix: 'File[x]', warn: (_, text) => said.push(text) });
    expect(printJson(data)).toBe('{"a":["/x/"]}');
    expect(said).toEqual(["File[x]['a'][0] contains a Regexp value. It will be converted to the String '/x/'"]);
  });
});
