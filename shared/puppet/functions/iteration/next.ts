import { NextSignal } from '../../evaluator/control-flow.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import { callLocation } from '../support/call-location.ts';

export const next = defineFunction('next', {
  passesNext: true,
  dispatches: [
    {
      params: ['?Any value'],
      body: (site, [value = null]) => {
        throw new NextSignal(value, callLocation(site));
      },
    },
  ],
});
