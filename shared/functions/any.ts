import { defineQuantifierFunction } from './quantifier-function.ts';

export const any = defineQuantifierFunction('any', true);
