import { defineHieraFunction } from './hiera-function.ts';

export const hieraHash = defineHieraFunction('hiera_hash', { merge: 'hash' });
