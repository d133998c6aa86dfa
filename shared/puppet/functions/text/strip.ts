import { stripText as change } from '../../ruby-core/ruby-string.ts';
import { defineTextFunction } from '../support/text-function.ts';

export const strip = defineTextFunction('strip', change);
