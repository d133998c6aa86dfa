import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export interface Import {
  /** The module as written: a package name or a relative path. */
  readonly specifier: string;
  /** Path relative to the repository's root for relative imports; null for packages. */
  readonly target: string | null;
  readonly typeOnly: boolean;
}

export interface SourceFile {
  /** Relative to the repository's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

const ROOT = join(import.meta.dirname, '..', '..');

/** Reads all TypeScript files below the given top-level folders. */
export function sourceFiles(folders: readonly string[]): SourceFile[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.includes('node_modules'))
      .map((name) => readSource(`${folder}/${name}`)),
  );
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(ROOT, path), 'utf8');
  return { path, text, imports: importsOf(path, text) };
}

const STATEMENT = /^(?:import|export)\s+(type\s+)?([^'";]*?\bfrom\s+)?'([^']+)'/gm;
const DYNAMIC = /\bimport\(\s*'([^']+)'\s*\)/g;

/** Finds static and dynamic imports and re-exports, in the forms that the formatter leaves. */
export function importsOf(path: string, text: string): Import[] {
  const found: Import[] = [];
  for (const [, type, clause, specifier] of text.matchAll(STATEMENT)) {
    if (specifier === undefined) continue;
    found.push(toImport(path, specifier, type !== undefined || onlyTypes(clause ?? '')));
  }
  for (const [, specifier] of text.matchAll(DYNAMIC)) {
    if (specifier !== undefined) found.push(toImport(path, specifier, false));
  }
  return found;
}

function onlyTypes(clause: string): boolean {
  const names = /^\{([\s\S]*)\}\s*from\s+$/.exec(clause)?.[1];
  if (names === undefined) return false;
  const items = names.split(',').map((item) => item.trim());
  return items.filter(Boolean).every((item) => item.startsWith('type '));
}

function toImport(path: string, specifier: string, typeOnly: boolean): Import {
  const relative = specifier.startsWith('.');
  return { specifier, typeOnly, target: relative ? normalize(join(dirname(path), specifier)) : null };
}
