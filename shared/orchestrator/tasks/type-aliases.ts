import { posix } from 'node:path';
import { PuppetError } from '../../puppet/errors/puppet-error.ts';
import { parseProgram } from '../../puppet/language/parser.ts';
import { parseType, WITHOUT_LOADER } from '../../puppet/types/type-parser.ts';
import type { TaskCode, TaskSnapshot } from './deployed-code.ts';

/** Texts of type aliases by name. */
export type AliasTexts = Readonly<Record<string, string>>;

const TYPE_NAMES = /\b[A-Z]\w*(?:::[A-Z]\w*)+/g;
/** Aliases that the types of one task or class may lead to. */
const MOST_ALIASES = 500;

/**
 * Finds the aliases that types name, in the modules of an environment (`types/*.pp`), and those
 * that the aliases name. A name without a file, and a file without that alias, is left out.
 */
export async function findTypeAliases(
  code: Pick<TaskCode, 'readText'>,
  files: TaskSnapshot,
  types: readonly string[],
): Promise<AliasTexts> {
  const found = new Map<string, string>();
  const seen = new Set<string>();
  const wanted = types.flatMap(listTypeNames);
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
    const key = name.toLowerCase();
    if (seen.has(key) || seen.size >= MOST_ALIASES) continue;
    seen.add(key);
    const text = await readAlias(code, files, name);
    if (text === null) continue;
    found.set(name, text);
    wanted.push(...listTypeNames(text));
  }
  return Object.fromEntries(found);
}

/** The qualified names in the text of a type; names in strings and patterns do no harm. */
export function listTypeNames(text: string): readonly string[] {
  return [...text.matchAll(TYPE_NAMES)].map(([name]) => name);
}

async function readAlias(code: Pick<TaskCode, 'readText'>, files: TaskSnapshot, name: string): Promise<string | null> {
  const path = placeAlias(files, name);
  const served = path === null ? null : files.findServed(path, 'follow');
  if (path === null || served?.kind !== 'file') return null;
  const source = await code.readText(served.file);
  try {
    const { definitions } = parseProgram(source, { file: path });
    const alias = definitions.find((one) => one.kind === 'TypeAlias' && one.name.toLowerCase() === name.toLowerCase());
    if (alias === undefined) return null;
    // Puppet: the position of an alias is that of its name or of its type, never that of the whole.
    const text = source
      .slice(alias.offset)
      .replace(/^[\w:]+\s*=/, '')
      .trim();
    parseType(text, WITHOUT_LOADER);
    return text;
  } catch (error) {
    if (error instanceof PuppetError) return null;
    throw error;
  }
}

/** The file of an alias: `Apache::Vhost::Port` is `types/vhost/port.pp` in the module `apache`. */
function placeAlias(files: TaskSnapshot, name: string): string | null {
  const [module = '', ...parts] = name.toLowerCase().split('::');
  const root = module === 'environment' ? files.environment.root : files.environment.findModule(module)?.root;
  return root === undefined ? null : `${posix.join(root, 'types', ...parts)}.pp`;
}
