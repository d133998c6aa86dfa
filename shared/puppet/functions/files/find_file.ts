import { defineFindFunction } from '../support/find-function.ts';
import { findFirst } from '../support/module-files.ts';

export const findFile = defineFindFunction('find_file', 'paths', (site, names) => findFirst(site, names, 'files'));
