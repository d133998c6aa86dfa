import { ReturnSignal } from '../../evaluator/control-flow.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import { callLocation } from '../support/call-location.ts';

export const returnFunction = defineFunction('return', {
  dispatches: [
    {
      params: ['?Any value'],
      body: (site, [value = null]) => {
        throw new ReturnSignal(value, callLocation(site));
      },
    },
  ],
});
