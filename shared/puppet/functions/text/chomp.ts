import { chompText as change } from '../../ruby-core/ruby-string.ts';
import { defineTextFunction } from '../support/text-function.ts';

export const chomp = defineTextFunction('chomp', change);
