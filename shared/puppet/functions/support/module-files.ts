import type { Environment } from '../../environment/environment.ts';
import type { CallSite } from '../../evaluator/ports.ts';

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
