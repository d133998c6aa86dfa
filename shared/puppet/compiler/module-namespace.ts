import { posix } from 'node:path';
import type { Environment } from '../environment/environment.ts';

/** Stands for the namespace of a module file in which no definition is allowed. */
const NO_PLACE_FOR_DEFINITIONS = '\u0000';

const DEFINITION_FOLDERS: ReadonlySet<string> = new Set(['manifests', 'functions', 'types', 'plans']);

/**
 * Returns the namespace that all definitions in an autoloaded file must start with (`mod::sub` for
 * `mod/manifests/sub.pp`). Returns null for files without this restriction: the site manifest and
 * all files outside modules. Puppet: Checker4_0#namespace_for_file
 */
export function namespaceOfFile(path: string, environment: Environment): string | null {
  if (!path.endsWith('.pp')) return null;
  if (environment.manifest !== null && path.startsWith(environment.manifest)) return null;
  const folder = environment.modulepath
    .map((candidate) => `${posix.normalize(candidate)}/`)
    .find((candidate) => path.startsWith(candidate));
  if (folder === undefined) return null;
  const [moduleName = '', kind = '', ...rest] = path.slice(folder.length, -'.pp'.length).toLowerCase().split('/');
  if (!DEFINITION_FOLDERS.has(kind)) return NO_PLACE_FOR_DEFINITIONS;
  const parts = rest.length === 1 && rest[0] === 'init' ? [] : rest;
  return [moduleName, ...parts].join('::');
}
