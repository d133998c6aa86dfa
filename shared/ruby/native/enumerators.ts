/** What methods give that go through something, when they get no block. */
import { RichValue, type Value } from '../../types/values.ts';
import { ENUMERABLE, type Items } from './enumerable-methods.ts';
import { fallBack } from './fallback.ts';
import { index, type MethodCall } from './runtime.ts';

/** An enumerator whose elements are known. */
export class RubyEnumerator extends RichValue {
  readonly items: Items;
  /** What the method makes of the answers of its block. */
  readonly settle: (call: MethodCall) => Value;
  /** Whether the elements have their numbers already. */
  readonly isNumbered: boolean;

  constructor(items: Items, settle: (call: MethodCall) => Value, isNumbered: boolean) {
    super();
    this.items = items;
    this.settle = settle;
    this.isNumbered = isNumbered;
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
/** Methods that give the same of an enumerator as of an array of its elements. */
const PASSED: ReadonlySet<string> = new Set(
  'map collect flat_map select filter find_all reject to_a entries each_with_object inject reduce find detect'.split(
    ' ',
  ),
);

/** That of such a method of items without a block; null for another method. */
export function enumeratorOf(
  name: string,
  items: Items,
  call: MethodCall,
  run: (call: MethodCall) => Value,
): RubyEnumerator | null {
  if (call.block || call.args.length > 0 || !MAKING.has(name)) return null;
  if (name !== 'each_with_index') return new RubyEnumerator(items, run, false);
  return new RubyEnumerator(numbered(items, 0), run, true);
}

function numbered(items: Items, from: number): Items {
  return items.map((item, at): Value => [item, BigInt(at + from)]);
}

export function callEnumerator(self: RubyEnumerator, name: string, call: MethodCall): Value {
  if (name === 'with_index' || name === 'each_with_index') return withIndex(self, call);
  if (!self.isNumbered || !PASSED.has(name)) return fallBack(`${name} of an enumerator`);
  const method = ENUMERABLE.get(name) ?? fallBack(`${name} of an enumerator`);
  return method(self.items, call);
}

function withIndex(self: RubyEnumerator, call: MethodCall): Value {
  const { block } = call;
  const from = call.args.length === 0 ? 0 : index(call.args[0]);
  if (!block || call.args.length > 1 || self.isNumbered) return fallBack('with_index');
  let at = from;
  const counting = { ...block, call: ([item = null]: Items) => block.call([item, BigInt(at++)]) };
  return self.settle({ ...call, args: [], block: counting });
}
