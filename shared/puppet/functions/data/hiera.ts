import { defineHieraFunction } from '../support/hiera-function.ts';

export const hiera = defineHieraFunction('hiera', { merge: 'first' });
