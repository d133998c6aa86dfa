import { defineFindFunction } from './find-function.ts';
import { findFirst } from './module-files.ts';

export const findFile = defineFindFunction('find_file', 'paths', (site, names) => findFirst(site, names, 'files'));
