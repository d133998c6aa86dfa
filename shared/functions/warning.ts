import { defineLoggingFunction } from './logging-function.ts';

export const warning = defineLoggingFunction('warning');
