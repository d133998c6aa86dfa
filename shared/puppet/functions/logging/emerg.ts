import { defineLoggingFunction } from '../support/logging-function.ts';

export const emerg = defineLoggingFunction('emerg');
