import { rstripText as change } from '../../ruby-core/ruby-string.ts';
import { defineTextFunction } from '../support/text-function.ts';

export const rstrip = defineTextFunction('rstrip', change);
