import { createHash } from 'node:crypto';
import { existsSync, globSync, lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import type { Sources } from './recorded-answers.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PUPPET_VERSION = '/usr/lib/ruby/vendor_ruby/puppet/version.rb';

/**
 * What decides how Ruby answers: the package it comes in, its side of ours, and what carries values
 * to it and back.
 */
export function rubySources(): Sources {
  const files = globSync(['shared/puppet/ruby/*.ts', 'shared/puppet/ruby/side/*.{rb,txt}'], { cwd: ROOT }).sort();
  const { version } = JSON.parse(readFileSync(join(ROOT, 'node_modules/@ruby/3.2-wasm-wasi/package.json'), 'utf8'));
  const ours = files.map((path) => [path, codeDigest(join(ROOT, path))] as const);
  return { '@ruby/3.2-wasm-wasi': version, ...Object.fromEntries(ours) };
}

/** Real Puppet, where it is installed. */
export function puppetSources(): Sources {
  return { puppet: existsSync(PUPPET_VERSION) ? digestOf([PUPPET_VERSION]) : null };
}

/** The Ruby code of modules, by the module's name, or all that compiles of their nodes may read. */
export function moduleSources(modules: ReadonlyMap<string, string>, what: 'ruby' | 'all' = 'ruby'): Sources {
  const files = what === 'ruby' ? /^lib\/.*\.rb$/ : /^(lib|manifests|templates|files|data|types|functions)\//;
  return Object.fromEntries([...modules].map(([name, folder]) => [`module ${name}`, treeDigest(folder, files)]));
}

/** Of all files below a folder whose paths fit, with the paths. Links are not followed. */
export function treeDigest(folder: string, files = /^/): string {
  const root = realpathSync(folder);
  const hash = createHash('sha256');
  for (const path of readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()) {
    const file = join(root, path);
    if (!files.test(path) || !lstatSync(file).isFile()) continue;
    hash.update(`${path}\0`).update(readFileSync(file)).update('\0');
  }
  return hash.digest('base64url').slice(0, 12);
}

/** Files, each by its path. */
export function sourcesOf(folder: string, paths: readonly string[]): Sources {
  return Object.fromEntries(paths.map((path) => [path, digestOf([join(folder, path)])]));
}

/** Digest of a file; of code without its comments, which say nothing to what it asks. */
export function codeDigest(path: string): string {
  const text = readFileSync(path, 'utf8');
  return createHash('sha256').update(withoutComments(path, text)).digest('base64url').slice(0, 12);
}

function withoutComments(path: string, text: string): string {
  if (path.endsWith('.ts')) return transformSync(text, { loader: 'ts', minifyWhitespace: true }).code;
  return path.endsWith('.rb') ? text.replaceAll(/^\s*#.*\n/gm, '') : text;
}

function digestOf(paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of paths) hash.update(readFileSync(path)).update('\0');
  return hash.digest('base64url').slice(0, 12);
}
