/**
 * puppetlabs-stdlib's functions for paths. Follows its lib/puppet/parser/functions and
 * lib/puppet/functions.
 */
import { defineFunction } from '../../evaluator/native-function.ts';
import { baseName, directoryName, getFileExtension } from '../../ruby-core/ruby-path.ts';
import { restoreBytes } from '../../types/values/bytes-text.ts';
import { checkCount, defineValueFunction, refuse } from './legacy-value-function.ts';

export const basename = defineValueFunction('basename', (args) => {
  if (args.length === 0) return refuse('basename(): No arguments given');
  if (args.length > 2) return refuse(`basename(): Too many arguments given (${args.length})`);
  const [path, suffix = ''] = args;
  if (typeof path !== 'string') return refuse('basename(): Requires string as first argument');
  if (typeof suffix !== 'string') return refuse('basename(): Requires string as second argument');
  return baseName(path, suffix);
});

export const dirname = defineValueFunction('dirname', (args) => {
  if (args.length === 0) return refuse('dirname(): No arguments given');
  checkCount('dirname', args, 1, 1, `dirname(): Too many arguments given (${args.length})`);
  const [path] = args;
  if (typeof path !== 'string') return refuse('dirname(): Requires string as argument');
  return path === '' ? refuse('dirname(): Requires a non-empty string as argument') : directoryName(path);
});

export const extname = defineFunction('stdlib::extname', {
  dispatches: [
    {
      params: ['String filename'],
      returns: 'String',
      body: (_, [path]) => {
        const extension = getFileExtension(String(path));
        // Ruby: File.extname makes the empty text itself, of bytes.
        return restoreBytes(extension, extension === '');
      },
    },
  ],
});

/** Finds nothing: files of the compiler's machine are not inputs of a catalog. */
export const glob = defineValueFunction('glob', (args) => {
  checkCount('glob', args, 1, 1);
  const [pattern] = args;
  if (typeof pattern === 'string' || Array.isArray(pattern)) return [];
  return refuse('glob(): Requires either array or string to work');
});
