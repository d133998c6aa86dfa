import { defineLoggingFunction } from '../support/logging-function.ts';

export const crit = defineLoggingFunction('crit');
