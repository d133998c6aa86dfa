import { defineExtremeFunction } from './extreme-function.ts';

export const min = defineExtremeFunction('min', -1);
