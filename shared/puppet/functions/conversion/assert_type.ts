import { PuppetError } from '../../errors/puppet-error.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { Callable, CallSite } from '../../evaluator/ports.ts';
import { inferSet } from '../../types/inference.ts';
import { describeMismatch } from '../../types/mismatch-describer.ts';
import { PType } from '../../types/ptype.ts';
import type { Value } from '../../types/values/values.ts';
import { typeFromText } from '../support/type-text.ts';

/**
 * Returns the value when it matches the type. Otherwise calls the block with both types, or throws
 * without a block.
 */
export const assertType = defineFunction('assert_type', {
  dispatches: [
    {
      params: ['Type type', 'Any value'],
      block: '?Callable[Type, Type] block',
      body: (_, [type, value = null], block) => (type instanceof PType ? assertValue(type, value, block) : value),
    },
    {
      params: ['String type_string', 'Any value'],
      block: '?Callable[Type, Type] block',
      body: (site: CallSite, [text, value = null], block) =>
        assertValue(typeFromText(site, String(text)), value, block),
    },
  ],
});

function assertValue(type: PType, value: Value, block: Callable | null): Value {
  if (type.isInstance(value)) return value;
  const actual = inferSet(value);
  if (block) return block.call(type, actual);
  throw new PuppetError(describeMismatch('assert_type():', type, actual));
}
