import { defineFunction } from '../../evaluator/native-function.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';
import { pairOf, runUntilBreak, yieldTo } from '../support/iteration.ts';
import { TreeIterator } from '../support/tree-iterator.ts';

const PARAMS = ['Variant[Iterator, Array, Hash, Object] tree', '?OptionsType options'];

/** Visits all containers and values of a nested structure, depth first or breadth first. */
export const treeEach = defineFunction('tree_each', {
  localTypes: {
    OptionsType:
      'Struct[{container_type => Optional[Type], include_root => Optional[Boolean], ' +
      'include_containers => Optional[Boolean], include_values => Optional[Boolean], ' +
      'order => Optional[Enum[depth_first, breadth_first]], include_refs => Optional[Boolean]}]',
  },
  dispatches: [
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
});

function iteratorOver(tree: Value, options: Value): TreeIterator {
  return new TreeIterator(tree, options instanceof PuppetHash ? options : new PuppetHash());
}
