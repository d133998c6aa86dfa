import { defineFunction } from '../../evaluator/native-function.ts';
import { splitCharacters } from '../../ruby-core/ruby-string.ts';
import { rubyEquals } from '../../types/equality.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import { PuppetRegexp } from '../../types/values/regexp.ts';
import type { Value } from '../../types/values/values.ts';
import { isTruthy } from './conversion.ts';
import { iteratorFor, pairOf, visitUntil, yieldTo } from './iteration.ts';

/** `index`: returns the key or position of the first matching element, or undef. */
export const index = defineFunction('index', [
  {
    params: ['Hash[Any, Any] hash'],
    block: 'Callable[2,2] block',
    body: (_, [hash = null], block) => keyWhere(hash, (key, value) => yieldTo(block, key, value)),
  },
  {
    params: ['Hash[Any, Any] hash'],
    block: 'Callable[1,1] block',
    body: (_, [hash = null], block) => keyWhere(hash, (_key, value) => yieldTo(block, value)),
  },
  {
    params: ['Iterable enumerable'],
    block: 'Callable[2,2] block',
    body: (_, [value = null], block) => positionWhere(value, (position, item) => yieldTo(block, position, item)),
  },
  {
    params: ['Iterable enumerable'],
    block: 'Callable[1,1] block',
    body: (_, [value = null], block) => positionWhere(value, (_position, item) => yieldTo(block, item)),
  },
  {
    params: ['String str', 'Variant[String,Regexp] match'],
    body: (_, [text, wanted = null]) => positionInText(String(text), wanted),
  },
  {
    params: ['Iterable enumerable', 'Any match'],
    body: (_, [value = null, wanted = null]) => positionWhere(value, (_position, item) => rubyEquals(item, wanted)),
  },
]);

type Test = (position: Value, item: Value) => Value;

function keyWhere(hash: Value, test: Test): Value {
  if (!(hash instanceof PuppetHash)) return null;
  for (const [key, value] of hash) if (isTruthy(test(key, value))) return key;
  return null;
}

function positionWhere(value: Value, test: Test): Value {
  const iterator = iteratorFor('index', value);
  let position = 0n;
  let found: Value = null;
  visitUntil(iterator, (element) => {
    const [key, item] = iterator.hashStyle ? pairOf(element) : [position, element];
    position += 1n;
    const matches = isTruthy(test(key, item));
    if (matches) found = key;
    return matches;
  });
  return found;
}

function positionInText(text: string, wanted: Value): Value {
  const at = wanted instanceof PuppetRegexp ? (wanted.exec(text)?.index ?? -1) : text.indexOf(String(wanted));
  return at < 0 ? null : BigInt(splitCharacters(text.slice(0, at)).length);
}
