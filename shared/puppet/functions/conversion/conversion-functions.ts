import { PuppetError } from '../../errors/puppet-error.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { Callable, CallSite, PuppetFunction } from '../../evaluator/ports.ts';
import { newInstance } from '../../types/construct/new-instance.ts';
import { infer, inferSet } from '../../types/inference.ts';
import { describeMismatch } from '../../types/mismatch-describer.ts';
import { PType } from '../../types/ptype.ts';
import { Sensitive, type Value } from '../../types/values/values.ts';
import { typeFromText } from '../support/type-text.ts';

function assertValue(type: PType, value: Value, block: Callable | null): Value {
  if (type.isInstance(value)) return value;
  const actual = inferSet(value);
  if (block) return block.call(type, actual);
  throw new PuppetError(describeMismatch('assert_type():', type, actual));
}

/**
 * Returns the result of `new`. A single argument that is already an instance is returned unchanged;
 * the block is not called.
 */
function createInstance(site: CallSite, type: PType, args: readonly Value[], block: Callable | null): Value {
  const [only = null] = args;
  if (args.length === 1 && type.kind !== 'Init' && type.isInstance(only)) return only;
  const result = newInstance(type, args, { clock: () => site.context.clock.read('new', site.node) });
  return block ? block.call(result) : result;
}

/** The functions that convert values, and that find or assert their types. */
export const CONVERSION_FUNCTIONS: readonly PuppetFunction[] = [
  /**
   * Returns the value when it matches the type. Otherwise calls the block with both types, or
   * throws without a block.
   */
  defineFunction('assert_type', [
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
  ]),
  /** Creates or converts a value: `Integer.new('1')`. */
  defineFunction('new', {
    params: ['Type type', '*Any args'],
    block: '?Callable block',
    body: (site, [type, ...args], block) => (type instanceof PType ? createInstance(site, type, args, block) : null),
  }),
  /** Like `new`, with the value as the first argument: `'1'.convert_to(Integer)`. */
  defineFunction('convert_to', {
    params: ['Any value', 'Type type', '*Any args'],
    block: '?Callable[1,1] block',
    body: (site, [value = null, type, ...args], block) => {
      const result = type instanceof PType ? createInstance(site, type, [value, ...args], null) : value;
      return block ? block.call(result) : result;
    },
  }),
  /**
   * Returns the type of a value: detailed (of each element), reduced (common to all elements) or
   * generalized.
   */
  defineFunction('type', [
    { params: ['Any value', '?Enum[detailed] inference_method'], body: (_, [value = null]) => inferSet(value) },
    { params: ['Any value', 'Enum[reduced] inference_method'], body: (_, [value = null]) => infer(value) },
    {
      params: ['Any value', 'Enum[generalized] inference_method'],
      body: (_, [value = null]) => infer(value).generalize(),
    },
  ]),
  defineFunction('unwrap', [
    {
      params: ['Sensitive arg'],
      block: '?Callable block',
      body: (_, [arg = null], block) => {
        const value = arg instanceof Sensitive ? arg.unwrap() : arg;
        return block ? block.call(value) : value;
      },
    },
    {
      params: ['Any arg'],
      block: '?Callable block',
      body: (_, [arg = null], block) => (block ? block.call(arg) : arg),
    },
  ]),
];
