/** Results of iterating methods that get no block. */
import { InternalValue, type Value } from '../../../types/values/values.ts';
import { fallBack } from '../fallback.ts';
import { assertIndex, type MethodCall } from '../runtime.ts';
import { ENUMERABLE, type Items, sliceItems } from './enumerable-methods.ts';

/** An enumerator whose elements are known. */
export class RubyEnumerator extends InternalValue {
  readonly items: Items;
  /** Computes the method's result from the results of its block. */
  readonly settle: (call: MethodCall) => Value;
  /** The elements: those of the array, each with its index, or parts of the array. */
  readonly kind: 'plain' | 'numbered' | 'parts';

  constructor(items: Items, settle: (call: MethodCall) => Value, kind: RubyEnumerator['kind']) {
    super();
    this.items = items;
    this.settle = settle;
    this.kind = kind;
  }

  equalityKey(): string {
    return fallBack('an enumerator compared');
  }
}

const MAKING: ReadonlySet<string> = new Set([
  'each',
  'map',
  'collect',
  'select',
  'filter',
  'reject',
  'each_with_index',
]);
/** Methods with the same result for an enumerator as for an array of its elements. */
const PASSED: ReadonlySet<string> = new Set(
  'map collect flat_map select filter find_all reject to_a entries each_with_object inject reduce find detect first'.split(
    ' ',
  ),
);

/** Returns the enumerator of an item method without a block; null for other methods. */
export function enumeratorOf(
  name: string,
  items: Items,
  call: MethodCall,
  run: (call: MethodCall) => Value,
): RubyEnumerator | null {
  if (call.block) return null;
  const parts = PARTS.get(name)?.(items, call);
  if (parts) return new RubyEnumerator(parts, (made) => run({ ...made, args: call.args }), 'parts');
  if (call.args.length > 0 || !MAKING.has(name)) return null;
  if (name !== 'each_with_index') return new RubyEnumerator(items, run, 'plain');
  return new RubyEnumerator(numberItems(items, 0), run, 'numbered');
}

const PARTS: ReadonlyMap<string, (items: Items, call: MethodCall) => Items> = new Map([['each_slice', sliceItems]]);

function numberItems(items: Items, from: number): Items {
  return items.map((item, at): Value => [item, BigInt(at + from)]);
}

export function callEnumerator(self: RubyEnumerator, name: string, call: MethodCall): Value {
  if (name === 'with_index' || name === 'each_with_index') return withIndex(self, call);
  if (self.kind === 'plain' || !PASSED.has(name)) return fallBack(`${name} of an enumerator`);
  const method = ENUMERABLE.get(name) ?? fallBack(`${name} of an enumerator`);
  return method(self.items, call);
}

function withIndex(self: RubyEnumerator, call: MethodCall): Value {
  const { block } = call;
  const from = call.args.length === 0 ? 0 : assertIndex(call.args[0]);
  if (!block || call.args.length > 1 || self.kind === 'numbered') return fallBack('with_index');
  let at = from;
  const counting = { ...block, call: ([item = null]: Items) => block.call([item, BigInt(at++)]) };
  return self.settle({ ...call, args: [], block: counting });
}
