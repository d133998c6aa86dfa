import { defineLoggingFunction } from '../support/logging-function.ts';

export const err = defineLoggingFunction('err');
