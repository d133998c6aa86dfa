/** Shared parts of the functions that iterate. */
import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { BreakSignal } from '../../evaluator/control-flow.ts';
import { iteratorOn } from '../../evaluator/iterable.ts';
import type { Callable } from '../../evaluator/ports.ts';
import { rubyClassName } from '../../types/ruby-class.ts';
import type { PuppetIterator } from '../../types/values/puppet-iterator.ts';
import type { Value } from '../../types/values/values.ts';

/** Returns the iterator over `value`; throws Puppet's error when it is not iterable. */
export function iteratorFor(functionName: string, value: Value): PuppetIterator {
  const iterator = iteratorOn(value);
  if (iterator) return iterator;
  throw new PuppetError(ISSUES.VALUE_NOT_ITERABLE({ name: functionName, actual: rubyClassName(value) }));
}

export function iterateElements(functionName: string, value: Value): Iterable<Value> {
  return iteratorFor(functionName, value);
}

/** Consumes an iterator: its values are gone for later users of the same iterator. */
export function* consumeIterator(iterator: PuppetIterator): IterableIterator<Value> {
  for (let value = iterator.next(); value !== undefined; value = iterator.next()) yield value;
}

/**
 * Visits an iterator's elements until `visit` returns true. `break()` ends an iterator that
 * supports it.
 */
export function visitUntil(iterator: PuppetIterator, visit: (element: Value) => boolean): void {
  const visitAll = () => {
    for (const element of iterator) if (visit(element)) return;
  };
  if (iterator.endsOnBreak) runUntilBreak(visitAll);
  else visitAll();
}

/** Runs `body` until it returns or calls `break()`. */
export function runUntilBreak(body: () => void): void {
  try {
    body();
  } catch (signal) {
    if (!(signal instanceof BreakSignal)) throw signal;
  }
}

/** Calls the block that a dispatch requires. */
export function yieldTo(block: Callable | null, ...args: readonly Value[]): Value {
  return block ? block.call(...args) : null;
}

/** Returns the pair of a hash entry, or the two parts of an indexed element. */
export function pairOf(value: Value): readonly [Value, Value] {
  const [first = null, second = null] = Array.isArray(value) ? value : [value];
  return [first, second];
}
