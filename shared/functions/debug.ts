import { defineLoggingFunction } from './logging-function.ts';

export const debug = defineLoggingFunction('debug');
