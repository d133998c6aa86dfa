import { defineRoundingFunction } from './rounding-function.ts';

export const floor = defineRoundingFunction('floor', Math.floor);
