/** Files of functions in Ruby of the packaged modules, and calls of them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../shared/puppet/environment/environment.ts';
import { EnvironmentMemory } from '../../shared/puppet/environment/environment-memory.ts';
import { NO_RECORDER } from '../../shared/puppet/environment/inputs.ts';
import { createMemoryEnvironment } from '../../shared/puppet/environment/memory-environment.ts';
import { TYPICAL_CALLS } from './function-calls.ts';
import { callsLike, callsOf } from './stdlib-calls.ts';

export interface FunctionFile {
  readonly name: string;
  readonly path: string;
  readonly isLegacy: boolean;
}

/**
 * The files of stdlib's functions by path, each with another comment than in any release: they run
 * as themselves, not as the functions that are written here.
 */
function changedStdlib(modules: string): Readonly<Record<string, string>> {
  const paths = ['functions', 'parser/functions'].flatMap((folder) => {
    const path = join(modules, 'stdlib/lib/puppet', folder);
    return readdirSync(path, { recursive: true, encoding: 'utf8' }).map((file) => join(path, file));
  });
  const inRuby = paths.filter((path) => path.endsWith('.rb'));
  return Object.fromEntries(inRuby.map((path) => [path, `${readFileSync(path, 'utf8')}# changed\n`]));
}

/** The environment of a control repo with all installed modules; see `changedStdlib`. */
export function openForRuby(repo: string, stdlib?: 'stdlib written in Ruby'): Environment {
  const modules = join(repo, 'environments', 'production', 'modules');
  const replacements = stdlib ? changedStdlib(modules) : {};
  return createMemoryEnvironment({
    name: 'production',
    codeDirectory: repo,
    files: {},
    modulepath: [modules],
    manifest: null,
    hostFolders: [modules],
    replacements,
    inputs: NO_RECORDER,
    memory: new EnvironmentMemory(),
  });
}

export function filesBelow(modules: string): readonly FunctionFile[] {
  return readdirSync(modules).flatMap((module) =>
    [true, false].flatMap((isLegacy): FunctionFile[] => {
      const folder = join(modules, module, 'lib/puppet', isLegacy ? 'parser/functions' : 'functions');
      const paths = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort() : [];
      return paths
        .filter((path) => path.endsWith('.rb'))
        .map((path) => ({ name: path.slice(0, -3).replaceAll('/', '::'), path: join(folder, path), isLegacy }));
    }),
  );
}

export function argumentsFor(name: string): readonly (readonly string[])[] {
  const typical = TYPICAL_CALLS[name];
  return typical ? callsLike(name, typical) : callsOf(name);
}
