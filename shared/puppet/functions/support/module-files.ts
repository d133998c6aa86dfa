import type { Environment } from '../../environment/environment.ts';
import type { CallSite } from '../../evaluator/ports.ts';

/**
 * The path of `module/file` in a module's folder (`files`, `templates`); an absolute path as it is;
 * null when there is no such module.
 */
export function pathInModule(environment: Environment, reference: string, folder: string): string | null {
  if (reference.startsWith('/')) return reference;
  const slash = reference.indexOf('/');
  if (slash < 0) return null;
  const file = reference.slice(slash + 1);
  const module = environment.findModule(reference.slice(0, slash));
  return module && file !== '' ? `${module.root}/${folder}/${file}` : null;
}

/** The first of the references that names something that is there, as a path; null for none. */
export function findFirst(site: CallSite, references: readonly string[], folder: string): string | null {
  const { environment } = site.context;
  for (const reference of references) {
    const path = pathInModule(environment, reference, folder);
    if (path !== null && environment.kindOf(path) !== null) return path;
  }
  return null;
}
