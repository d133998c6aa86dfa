import { defineHieraFunction } from '../support/hiera-function.ts';

export const hieraArray = defineHieraFunction('hiera_array', { merge: 'unique' });
