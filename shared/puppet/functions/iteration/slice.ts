import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { Callable } from '../../evaluator/ports.ts';
import type { Value } from '../../types/values/values.ts';
import { iteratorFor, runUntilBreak } from '../support/iteration.ts';

/**
 * Splits elements into slices of a given size. A block receives each slice, or its elements when it
 * has as many parameters; the last slice is then padded.
 */
export const slice = defineFunction('slice', {
  dispatches: [
    {
      params: ['Hash[Any, Any] hash', 'Integer[1, default] slice_size'],
      block: '?Callable block',
      body: (_, [hash = null, size], block) => inSlices(hash, Number(size), [], block),
    },
    {
      params: ['Iterable enumerable', 'Integer[1, default] slice_size'],
      block: '?Callable block',
      body: (_, [value = null, size], block) => inSlices(value, Number(size), null, block),
    },
  ],
});

function inSlices(value: Value, size: number, filler: Value, block: Callable | null): Value {
  const serving = block ? demandSize(block, size) : 1;
  const iterator = iteratorFor('slice', value);
  const parts = slicesOf(iterator, Math.min(size, iterator.sizeHint ?? size));
  if (!block) return [...parts];
  runUntilBreak(() => {
    for (const part of parts) {
      if (serving === 1) block.call(part);
      else block.call(...part, ...new Array<Value>(Math.max(serving - part.length, 0)).fill(filler));
    }
  });
  return value;
}

function* slicesOf(elements: Iterable<Value>, size: number): IterableIterator<Value[]> {
  let part: Value[] = [];
  for (const element of elements) {
    part.push(element);
    if (part.length !== size) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

function demandSize(block: Callable, size: number): number {
  const [required, maximum] = block.arity;
  const serving = required === maximum ? required : size;
  if (serving === 0) throw new PuppetError(ISSUES.SLICE_BLOCK_WITHOUT_PARAMETER());
  if (serving !== 1 && serving !== size) {
    throw new PuppetError(ISSUES.SLICE_BLOCK_ARITY({ size, serving, names: block.parameterNames.join(', ') }));
  }
  return serving;
}
