import { defineFunction } from '../../evaluator/native-function.ts';
import { floatToInteger } from '../../evaluator/numeric.ts';

/** Rounds half away from zero, through floating point even for integers, as Puppet does. */
export const round = defineFunction('round', {
  dispatches: [
    {
      params: ['Numeric val'],
      body: (_, [value]) => {
        const number = Number(value);
        return floatToInteger(number > 0 ? number + 0.5 : number - 0.5);
      },
    },
  ],
});
