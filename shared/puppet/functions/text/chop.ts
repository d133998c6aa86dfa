import { chopText as change } from '../../ruby-core/ruby-string.ts';
import { defineTextFunction } from '../support/text-function.ts';

export const chop = defineTextFunction('chop', change);
