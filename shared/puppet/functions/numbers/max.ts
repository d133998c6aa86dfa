import { defineExtremeFunction } from '../support/extreme-function.ts';

export const max = defineExtremeFunction('max', 1);
