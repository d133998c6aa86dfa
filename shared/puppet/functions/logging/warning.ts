import { defineLoggingFunction } from '../support/logging-function.ts';

export const warning = defineLoggingFunction('warning');
