import { defineLoggingFunction } from './logging-function.ts';

export const notice = defineLoggingFunction('notice');
