import { lstrip as change } from '../util/ruby-string.ts';
import { defineTextFunction } from './text-function.ts';

export const lstrip = defineTextFunction('lstrip', change);
