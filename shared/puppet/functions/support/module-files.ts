import type { Environment } from '../../environment/environment.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { CallSite, PuppetFunction } from '../../evaluator/ports.ts';
import type { Value } from '../../types/values/values.ts';

/**
 * Returns the path of `module/file` in a module's folder (`files`, `templates`); an absolute path
 * is returned unchanged. Null when the module does not exist.
 */
export function pathInModule(environment: Environment, reference: string, folder: string): string | null {
  if (reference.startsWith('/')) return reference;
  const slash = reference.indexOf('/');
  if (slash < 0) return null;
  const file = reference.slice(slash + 1);
  const module = environment.findModule(reference.slice(0, slash));
  return module && file !== '' ? `${module.root}/${folder}/${file}` : null;
}

/** Returns the path of the first reference that exists; null when none does. */
export function findFirst(site: CallSite, references: readonly string[], folder: string): string | null {
  const { environment } = site.context;
  for (const reference of references) {
    const path = pathInModule(environment, reference, folder);
    if (path !== null && environment.kindOf(path) !== null) return path;
  }
  return null;
}

/** Defines a function of names, given one by one or as an array. */
export function defineFindFunction(
  name: string,
  parameter: string,
  find: (site: CallSite, names: readonly string[]) => Value,
): PuppetFunction {
  // Puppet: module_directory uses the same name for both.
  const arrayParameter = parameter === 'names' ? parameter : `${parameter}_array`;
  return defineFunction(name, [
    { params: [`*String ${parameter}`], body: (site, args) => find(site, args.map(String)) },
    {
      params: [`*Array[String] ${arrayParameter}`],
      body: (site, [names]) => find(site, (Array.isArray(names) ? names : []).map(String)),
    },
  ]);
}
