import { upcase as change } from '../util/ruby-string.ts';
import { defineCaseFunction } from './text-function.ts';

export const upcase = defineCaseFunction('upcase', change);
