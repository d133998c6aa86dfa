import { strip as change } from '../util/ruby-string.ts';
import { defineTextFunction } from './text-function.ts';

export const strip = defineTextFunction('strip', change);
