import { defineFindFunction } from './find-function.ts';
import { findFirst } from './module-files.ts';

export const findTemplate = defineFindFunction('find_template', 'paths', (site, names) =>
  findFirst(site, names, 'templates'),
);
