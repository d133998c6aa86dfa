import { PuppetError } from '../errors/puppet-error.ts';
import { defineLegacyFunction } from './legacy-function.ts';
import { rubyToS } from './ruby-text.ts';

export const fail = defineLegacyFunction('fail', {
  arity: -1,
  rvalue: false,
  body: (_, args) => {
    throw new PuppetError(args.map(rubyToS).join(' '));
  },
});
