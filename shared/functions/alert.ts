import { defineLoggingFunction } from './logging-function.ts';

export const alert = defineLoggingFunction('alert');
