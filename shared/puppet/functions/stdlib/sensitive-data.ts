import { PuppetHash } from '../../types/values/puppet-hash.ts';
import { Sensitive, type Value } from '../../types/values/values.ts';

/**
 * Applies `change` to data without Sensitive wrappers. The result is Sensitive when the data had a
 * wrapper.
 */
export function rewrapSensitive(data: Value, change: (unwrapped: Value) => Value = (value) => value): Value {
  let found = false;
  const unwrap = (value: Value): Value => {
    if (Array.isArray(value)) return value.map(unwrap);
    if (value instanceof PuppetHash) {
      return PuppetHash.of(Array.from(value, ([key, item]) => [unwrapKey(key), unwrap(item)] as const));
    }
    if (!(value instanceof Sensitive)) return value;
    found = true;
    return unwrap(value.unwrap());
  };
  const unwrapKey = (key: Value): Value => {
    if (!(key instanceof Sensitive)) return key;
    found = true;
    return key.unwrap();
  };
  const result = change(unwrap(data));
  return found ? new Sensitive(result) : result;
}
