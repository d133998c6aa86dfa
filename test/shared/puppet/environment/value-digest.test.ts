import { expect, it } from 'vitest';
import { isSameData, valueDigest } from '../../../../shared/puppet/environment/value-digest.ts';
import { parseJson } from '../../../../shared/puppet/serialization/json.ts';
import { DefaultValue, type Value } from '../../../../shared/puppet/types/values/values.ts';

const TEXTS = [
  ...['null', 'true', '1', '1.0', '0', '0.0', '-0.0', '"1"', '""', '[]', '[null]', '[1,2]', '[2,1]', '[[1],2]', '{}'],
  ...['{"a":1}', '{"a":1.0}', '{"a":1,"b":[]}', '{"b":[],"a":1}', '{"a":{"b":{}}}', '{"a":{"b":null}}', '{"a":null}'],
];

it('takes those values for the same that have the same digest', () => {
  const parse = (): readonly Value[] => [...TEXTS.map(parseJson), new DefaultValue()];
  for (const one of parse()) {
    const same = parse().map((other) => isSameData(one, other));
    expect(same).toEqual(parse().map((other) => valueDigest(one) === valueDigest(other)));
    expect(same.filter(Boolean)).toHaveLength(1);
  }
});
