import { rstrip as change } from '../util/ruby-string.ts';
import { defineTextFunction } from './text-function.ts';

export const rstrip = defineTextFunction('rstrip', change);
