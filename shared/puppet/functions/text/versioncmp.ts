import { defineFunction } from '../../evaluator/native-function.ts';
import { compareVersions } from '../../ruby-core/version-compare.ts';

export const versioncmp = defineFunction('versioncmp', {
  dispatches: [
    {
      params: ['String a', 'String b', '?Boolean ignore_trailing_zeroes'],
      body: (_, [a, b, ignore = false]) => BigInt(compareVersions(String(a), String(b), ignore === true)),
    },
  ],
});
