import { defineLoggingFunction } from '../support/logging-function.ts';

export const notice = defineLoggingFunction('notice');
