import { defineLoggingFunction } from '../support/logging-function.ts';

export const alert = defineLoggingFunction('alert');
