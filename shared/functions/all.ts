import { defineQuantifierFunction } from './quantifier-function.ts';

export const all = defineQuantifierFunction('all', false);
