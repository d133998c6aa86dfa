import { defineLoggingFunction } from './logging-function.ts';

export const err = defineLoggingFunction('err');
