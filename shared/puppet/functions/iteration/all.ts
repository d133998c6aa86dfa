import { defineQuantifierFunction } from '../support/quantifier-function.ts';

export const all = defineQuantifierFunction('all', false);
