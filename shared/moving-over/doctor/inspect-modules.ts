import type { Environment } from '../../puppet/environment/environment.ts';
import { MetadataError, parseModuleMetadata } from '../../puppet/environment/module-metadata.ts';
import { SemVer } from '../../puppet/types/versions/sem-ver.ts';
import { SemVerRange } from '../../puppet/types/versions/sem-ver-range.ts';
import { isJsonObject } from '../../util/json-object.ts';
import { createFinding, type DoctorFinding, type ModuleFound } from './finding.ts';

interface Dependency {
  readonly name: string;
  readonly range: string | null;
}

interface Metadata {
  readonly version: string | null;
  readonly dependencies: readonly Dependency[];
}

/** Lists the modules on the environment's modulepath, with their versions. */
export function modulesOf(environment: Environment): readonly ModuleFound[] {
  return environment
    .listModules()
    .map(({ name, root }) => ({ name, root, version: metadataOf(environment, root).version }));
}

/**
 * Inspects modules: returns a finding for each, and notes on unreadable metadata, on missing or
 * mismatched dependencies, and on modules hidden by others of the same name.
 */
export function inspectModules(environment: Environment): readonly DoctorFinding[] {
  const modules = modulesOf(environment);
  const versions = new Map(modules.map(({ name, version }) => [name, version]));
  const own = modules.flatMap(({ name, root }) => {
    const fault = metadataFault(environment, name, root);
    const found = fault ? [fault] : [createFinding('modules', name, name, { file: root })];
    return [...found, ...dependencyNotes(name, metadataOf(environment, root), versions)];
  });
  return [...own, ...findShadowed(environment, modules)];
}

/** Puppet treats a module with unreadable metadata as absent when it is asked for by name. */
function metadataFault(environment: Environment, name: string, root: string): DoctorFinding | null {
  const file = `${root}/metadata.json`;
  const text = environment.readText(file);
  if (text === null) return null;
  try {
    parseModuleMetadata(text, name);
    return null;
  } catch (error) {
    if (!(error instanceof MetadataError || error instanceof SyntaxError)) throw error;
    const reason = `the module is left out, as Puppet does: ${error.message}`;
    return createFinding('modules', name, 'metadata.json', { verdict: 'note', reason, file });
  }
}

function dependencyNotes(
  module: string,
  { dependencies }: Metadata,
  versions: ReadonlyMap<string, string | null>,
): readonly DoctorFinding[] {
  return dependencies.flatMap(({ name, range }) => {
    const short = name.split(/[-/]/).at(-1) ?? name;
    const wanted = `needs ${range === null ? name : `${name} ${range}`}`;
    const note = (there: string) => [
      createFinding('modules', module, module, { verdict: 'note', reason: `${wanted}: ${there}` }),
    ];
    if (!versions.has(short)) return note('it is missing');
    const version = versions.get(short) ?? null;
    return range === null || version === null || satisfies(version, range) ? [] : note(`the version is ${version}`);
  });
}

function satisfies(version: string, range: string): boolean {
  try {
    return SemVerRange.parse(range).includes(SemVer.parse(version));
  } catch {
    return true; // A text that is not a version cannot be compared.
  }
}

function findShadowed(environment: Environment, modules: readonly ModuleFound[]): readonly DoctorFinding[] {
  const roots = new Map(modules.map(({ name, root }) => [name, root]));
  return environment.modulepath.flatMap((folder) =>
    (environment.list(folder) ?? []).flatMap((name) => {
      const root = `${folder}/${name}`;
      const shown = roots.get(name);
      if (shown === undefined || shown === root || environment.kindOf(root) !== 'directory') return [];
      return [
        createFinding('modules', name, root, { verdict: 'note', reason: `${root} is hidden by ${shown}`, file: root }),
      ];
    }),
  );
}

function metadataOf(environment: Environment, root: string): Metadata {
  const data = jsonOf(environment.readText(`${root}/metadata.json`));
  const dependencies = Array.isArray(data.dependencies) ? data.dependencies.flatMap(dependencyOf) : [];
  return { version: typeof data.version === 'string' ? data.version : null, dependencies };
}

function dependencyOf(value: unknown): readonly Dependency[] {
  if (!isJsonObject(value) || typeof value.name !== 'string') return [];
  const { name, version_requirement: range } = value;
  return [{ name, range: typeof range === 'string' ? range : null }];
}

function jsonOf(text: string | null): Readonly<Record<string, unknown>> {
  try {
    const data: unknown = JSON.parse(text ?? '{}');
    return isJsonObject(data) ? data : {};
  } catch {
    return {}; // `metadataFault` reports this.
  }
}
