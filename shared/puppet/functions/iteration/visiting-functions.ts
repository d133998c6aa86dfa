import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { Callable, PuppetFunction } from '../../evaluator/ports.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';
import { consumeIterator, iteratorFor, pairOf, runUntilBreak, yieldTo } from '../support/iteration.ts';
import { TreeIterator } from '../support/tree-iterator.ts';

function runBody(value: Value, body: () => void): Value {
  runUntilBreak(body);
  return value;
}

function visitPairs(hash: Value, visit: (key: Value, value: Value) => void): void {
  if (!(hash instanceof PuppetHash)) return;
  for (const [key, value] of hash) visit(key, value);
}

const PARAMS = ['Variant[Iterator, Array, Hash, Object] tree', '?OptionsType options'];

function iteratorOver(tree: Value, options: Value): TreeIterator {
  return new TreeIterator(tree, options instanceof PuppetHash ? options : new PuppetHash());
}

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

/** The functions that visit the elements of iterables, in different orders and steps. */
export const VISITING_FUNCTIONS: readonly PuppetFunction[] = [
  /** Returns its receiver; `break()` in the block ends the iteration. */
  defineFunction('each', [
    {
      params: ['Hash[Any, Any] hash'],
      block: 'Callable[2,2] block',
      body: (_, [hash = null], block) =>
        runBody(hash, () => visitPairs(hash, (key, value) => yieldTo(block, key, value))),
    },
    {
      params: ['Hash[Any, Any] hash'],
      block: 'Callable[1,1] block',
      body: (_, [hash = null], block) =>
        runBody(hash, () => visitPairs(hash, (key, value) => yieldTo(block, [key, value]))),
    },
    {
      params: ['Iterable enumerable'],
      block: 'Callable[2,2] block',
      body: (_, [value = null], block) => {
        const iterator = iteratorFor('each', value);
        if (iterator.hashStyle) {
          for (const pair of iterator) yieldTo(block, ...pairOf(pair));
          return value;
        }
        return runBody(value, () => {
          let index = 0n;
          for (const element of consumeIterator(iterator)) {
            yieldTo(block, index, element);
            index += 1n;
          }
        });
      },
    },
    {
      params: ['Iterable enumerable'],
      block: 'Callable[1,1] block',
      body: (_, [value = null], block) =>
        runBody(value, () => {
          for (const element of consumeIterator(iteratorFor('each', value))) yieldTo(block, element);
        }),
    },
  ]),
  defineFunction('reverse_each', [
    { params: ['Iterable iterable'], body: (_, [value = null]) => iteratorFor('reverse_each', value).reverse() },
    {
      params: ['Iterable iterable'],
      block: 'Callable[1,1] block',
      body: (_, [value = null], block) => {
        const reversed = iteratorFor('reverse_each', value).reverse();
        runUntilBreak(() => {
          for (const element of consumeIterator(reversed)) yieldTo(block, element);
        });
        return null;
      },
    },
  ]),
  defineFunction('step', [
    {
      params: ['Iterable iterable', 'Integer[1] step'],
      body: (_, [value = null, size]) => iteratorFor('step', value).step(Number(size)),
    },
    {
      params: ['Iterable iterable', 'Integer[1] step'],
      block: 'Callable[1,1] block',
      body: (_, [value = null, size], block) => {
        const steps = iteratorFor('step', value).step(Number(size));
        runUntilBreak(() => {
          for (const element of consumeIterator(steps)) yieldTo(block, element);
        });
        return null;
      },
    },
  ]),
  /** Visits all containers and values of a nested structure, depth first or breadth first. */
  defineFunction(
    'tree_each',
    [
      {
        params: PARAMS,
        block: 'Callable[2,2] block',
        body: (_, [tree = null, options = null], block) => {
          runUntilBreak(() => {
            for (const entry of iteratorOver(tree, options)) yieldTo(block, ...pairOf(entry));
          });
          return tree;
        },
      },
      {
        params: PARAMS,
        block: 'Callable[1,1] block',
        body: (_, [tree = null, options = null], block) => {
          runUntilBreak(() => {
            for (const entry of iteratorOver(tree, options)) yieldTo(block, pairOf(entry)[1]);
          });
          return tree;
        },
      },
      { params: PARAMS, body: (_, [tree = null, options = null]) => iteratorOver(tree, options) },
    ],
    {
      localTypes: {
        OptionsType:
          'Struct[{container_type => Optional[Type], include_root => Optional[Boolean], ' +
          'include_containers => Optional[Boolean], include_values => Optional[Boolean], ' +
          'order => Optional[Enum[depth_first, breadth_first]], include_refs => Optional[Boolean]}]',
      },
    },
  ),
  /**
   * Splits elements into slices of a given size. A block receives each slice, or its elements when
   * it has as many parameters; the last slice is then padded.
   */
  defineFunction('slice', [
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
  ]),
];
