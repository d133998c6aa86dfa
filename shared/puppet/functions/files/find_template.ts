import { defineFindFunction } from '../support/find-function.ts';
import { findFirst } from '../support/module-files.ts';

export const findTemplate = defineFindFunction('find_template', 'paths', (site, names) =>
  findFirst(site, names, 'templates'),
);
