import { defineExtremeFunction } from '../support/extreme-function.ts';

export const min = defineExtremeFunction('min', -1);
