import { defineFunction } from '../../evaluator/native-function.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';

export const values = defineFunction('values', {
  dispatches: [{ params: ['Hash hsh'], body: (_, [hash]) => (hash instanceof PuppetHash ? [...hash.values()] : []) }],
});
