import { capitalizeText } from '../../ruby-core/ruby-string.ts';
import { defineTextFunction } from '../support/text-function.ts';

export const camelcase = defineTextFunction('camelcase', (text) => text.split('_').map(capitalizeText).join(''));
