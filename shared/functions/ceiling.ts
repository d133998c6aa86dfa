import { defineRoundingFunction } from './rounding-function.ts';

export const ceiling = defineRoundingFunction('ceiling', Math.ceil);
