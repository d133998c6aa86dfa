import { defineHieraFunction } from '../support/hiera-function.ts';

export const hieraHash = defineHieraFunction('hiera_hash', { merge: 'hash' });
