import { capitalize as change } from '../util/ruby-string.ts';
import { defineTextFunction } from './text-function.ts';

export const capitalize = defineTextFunction('capitalize', change);
