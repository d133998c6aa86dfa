import { defineFindFunction } from '../support/find-function.ts';

export const moduleDirectory = defineFindFunction('module_directory', 'names', (site, names) => {
  for (const name of names) {
    const module = site.context.environment.findModule(name);
    if (module) return module.root;
  }
  return null;
});
