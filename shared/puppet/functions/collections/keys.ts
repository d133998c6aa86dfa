import { defineFunction } from '../../evaluator/native-function.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';

export const keys = defineFunction('keys', {
  dispatches: [{ params: ['Hash hsh'], body: (_, [hash]) => (hash instanceof PuppetHash ? [...hash.keys()] : []) }],
});
