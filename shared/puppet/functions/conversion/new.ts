import { defineFunction } from '../../evaluator/native-function.ts';
import type { Callable, CallSite } from '../../evaluator/ports.ts';
import { newInstance } from '../../types/construct/new-instance.ts';
import { PType } from '../../types/ptype.ts';
import type { Value } from '../../types/values/values.ts';

/** Creates or converts a value: `Integer.new('1')`. */
export const newFunction = defineFunction('new', {
  dispatches: [
    {
      params: ['Type type', '*Any args'],
      block: '?Callable block',
      body: (site, [type, ...args], block) => (type instanceof PType ? createInstance(site, type, args, block) : null),
    },
  ],
});

/**
 * Returns the result of `new`. A single argument that is already an instance is returned unchanged;
 * the block is not called.
 */
export function createInstance(site: CallSite, type: PType, args: readonly Value[], block: Callable | null): Value {
  const [only = null] = args;
  if (args.length === 1 && type.kind !== 'Init' && type.isInstance(only)) return only;
  const result = newInstance(type, args, { clock: () => site.context.clock.read('new', site.node) });
  return block ? block.call(result) : result;
}
