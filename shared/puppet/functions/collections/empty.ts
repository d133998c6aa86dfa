import { defineFunction } from '../../evaluator/native-function.ts';
import { Sensitive } from '../../types/values/values.ts';
import { callLocation } from '../support/call-location.ts';
import { warnOnce } from '../support/deprecation.ts';
import { lengthOf } from './length.ts';

export const empty = defineFunction('empty', {
  dispatches: [
    { params: ['Collection coll'], body: (_, [value = null]) => lengthOf(value) === 0n },
    {
      params: ['Sensitive[String] str'],
      body: (_, [value]) => value instanceof Sensitive && value.unwrap() === '',
    },
    { params: ['String str'], body: (_, [value]) => value === '' },
    {
      params: ['Numeric num'],
      body: (site) => {
        const { file, line } = callLocation(site);
        const message = 'Calling function empty() with Numeric value is deprecated.';
        warnOnce(site, `empty-from-${file}-${line}`, message, { file, line });
        return false;
      },
    },
    { params: ['Binary bin'], body: (_, [value = null]) => lengthOf(value) === 0n },
    { params: ['Undef x'], body: () => true },
  ],
});
