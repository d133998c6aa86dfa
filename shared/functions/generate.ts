import { PuppetError } from '../errors/puppet-error.ts';
import { implicitString } from './conversion.ts';
import { defineLegacyFunction } from './legacy-function.ts';

/** Checks its arguments as Puppet does; commands are never run on behalf of a catalog. */
export const generate = defineLegacyFunction('generate', {
  arity: -2,
  rvalue: true,
  body: (site, [command = null]) => {
    const path = implicitString(command);
    if (!path.startsWith('/')) throw new PuppetError('Generators must be fully qualified');
    if (!/^[-/\w.+]+$/m.test(path)) {
      throw new PuppetError('Generators can only contain alphanumerics, file separators, and dashes');
    }
    if (path.includes('..')) throw new PuppetError("Can not use generators with '..' in them.");
    site.context.inputs.volatile('generate');
    throw new PuppetError(`Failed to execute generator ${path}: the compiler does not run commands`);
  },
});
