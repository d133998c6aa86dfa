import { defineLoggingFunction } from './logging-function.ts';

export const crit = defineLoggingFunction('crit');
