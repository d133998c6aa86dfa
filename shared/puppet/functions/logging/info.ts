import { defineLoggingFunction } from '../support/logging-function.ts';

export const info = defineLoggingFunction('info');
