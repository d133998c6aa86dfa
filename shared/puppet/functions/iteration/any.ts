import { defineQuantifierFunction } from '../support/quantifier-function.ts';

export const any = defineQuantifierFunction('any', true);
