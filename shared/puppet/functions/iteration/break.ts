import { BreakSignal } from '../../evaluator/control-flow.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import { callLocation } from '../support/call-location.ts';

export const breakFunction = defineFunction('break', {
  dispatches: [
    {
      params: [],
      body: (site) => {
        throw new BreakSignal(callLocation(site));
      },
    },
  ],
});
