import { RaisedError } from '../../errors/lookup-error.ts';
import { defineLegacyFunction } from '../../evaluator/legacy-function.ts';
import { rubyToS } from '../../types/format/ruby-text.ts';

export const fail = defineLegacyFunction('fail', {
  arity: -1,
  rvalue: false,
  body: (_, args) => {
    throw new RaisedError(args.map(rubyToS).join(' '));
  },
});
