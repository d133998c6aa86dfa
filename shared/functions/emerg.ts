import { defineLoggingFunction } from './logging-function.ts';

export const emerg = defineLoggingFunction('emerg');
