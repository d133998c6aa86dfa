import { downcase as change } from '../util/ruby-string.ts';
import { defineCaseFunction } from './text-function.ts';

export const downcase = defineCaseFunction('downcase', change);
