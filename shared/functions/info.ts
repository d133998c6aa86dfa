import { defineLoggingFunction } from './logging-function.ts';

export const info = defineLoggingFunction('info');
