import { downcaseText as change } from '../../ruby-core/ruby-string.ts';
import { defineCaseFunction } from '../support/text-function.ts';

export const downcase = defineCaseFunction('downcase', change);
