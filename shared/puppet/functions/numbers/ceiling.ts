import { defineRoundingFunction } from '../support/rounding-function.ts';

export const ceiling = defineRoundingFunction('ceiling', Math.ceil);
