import { defineExtremeFunction } from './extreme-function.ts';

export const max = defineExtremeFunction('max', 1);
