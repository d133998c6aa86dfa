import { readLenient } from '../../environment/utf8-text.ts';
import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { defineLegacyFunction } from '../../evaluator/legacy-function.ts';
import { implicitString } from '../support/conversion.ts';
import { findFirst } from '../support/module-files.ts';

/** Returns the content of the first existing file; line ends are kept. */
export const file = defineLegacyFunction('file', {
  arity: -2,
  rvalue: true,
  body: (site, args) => {
    const references = args.map(implicitString);
    const path = findFirst(site, references, 'files');
    const content = path === null ? null : readLenient(site.context.environment, path);
    if (content === null) throw new PuppetError(ISSUES.NO_FILE_FOUND({ references: references.join(', ') }));
    return content;
  },
});
