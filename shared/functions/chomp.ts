import { chomp as change } from '../util/ruby-string.ts';
import { defineTextFunction } from './text-function.ts';

export const chomp = defineTextFunction('chomp', change);
