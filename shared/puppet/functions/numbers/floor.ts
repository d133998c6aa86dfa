import { defineRoundingFunction } from '../support/rounding-function.ts';

export const floor = defineRoundingFunction('floor', Math.floor);
