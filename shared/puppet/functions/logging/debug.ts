import { defineLoggingFunction } from '../support/logging-function.ts';

export const debug = defineLoggingFunction('debug');
