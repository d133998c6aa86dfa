import { chop as change } from '../util/ruby-string.ts';
import { defineTextFunction } from './text-function.ts';

export const chop = defineTextFunction('chop', change);
