import { capitalize } from '../util/ruby-string.ts';
import { defineTextFunction } from './text-function.ts';

export const camelcase = defineTextFunction('camelcase', (text) => text.split('_').map(capitalize).join(''));
