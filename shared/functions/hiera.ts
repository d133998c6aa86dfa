import { defineHieraFunction } from './hiera-function.ts';

export const hiera = defineHieraFunction('hiera', { merge: 'first' });
