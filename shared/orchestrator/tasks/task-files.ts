import { posix } from 'node:path';
import type { ModuleInfo } from '../../puppet/environment/environment.ts';
import type { TaskSnapshot } from './deployed-code.ts';
import { UnusableTask } from './task-library.ts';

/** A file of a task: its name and its served path. */
export interface TaskFile {
  readonly filename: string;
  readonly path: string;
}

export interface Implementations {
  readonly name: string;
  readonly shortName: string;
  /** The module's task folder. */
  readonly folder: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly executables: readonly string[];
}

const MOUNTS = ['files', 'lib', 'scripts', 'tasks'];

/**
 * The executables of a task: those in its metadata, or the one with its name. Throws UnusableTask.
 */
export function findImplementations(task: Implementations): readonly TaskFile[] {
  const { name, shortName, folder, metadata, executables } = task;
  if (metadata.implementations !== undefined) return listNamedImplementations(task);
  const found = executables.filter((file) => file.slice(0, file.length - posix.extname(file).length) === shortName);
  const [only, ...more] = found;
  if (only === undefined) {
    const message = `No source besides task metadata was found in directory ${folder} for task ${name}`;
    throw new UnusableTask('puppet.tasks/no-implementation', message);
  }
  if (more.length > 0) {
    const message = `Multiple executables were found in directory ${posix.join(folder, only)} for task ${name}; define 'implementations' in metadata to differentiate between them`;
    throw new UnusableTask('puppet.tasks/multiple-implementations', message);
  }
  return [{ filename: only, path: posix.join(folder, only) }];
}

function listNamedImplementations({ name, folder, metadata, executables }: Implementations): readonly TaskFile[] {
  if (!Array.isArray(metadata.implementations)) {
    throw invalidTaskError(`Task metadata for task ${name} does not specify implementations as an array`);
  }
  return metadata.implementations.map((each: unknown) => {
    const implementation = asObject(each);
    if (!isListOrNothing(implementation.requirements)) {
      throw invalidTaskError(`Task metadata for task ${name} does not specify requirements as an array`);
    }
    const filename = String(implementation.name ?? '');
    if (!executables.includes(filename)) {
      const message = `Task metadata for task ${name} specifies missing implementation ${filename}`;
      throw new UnusableTask('puppet.tasks/missing-implementation', message, {
        missing: [implementation.name ?? null],
      });
    }
    return { filename, path: posix.join(folder, filename) };
  });
}

/**
 * The module files in a task's metadata; a folder includes everything below it. Throws
 * UnusableTask.
 */
export function findSupportingFiles(
  files: TaskSnapshot,
  metadata: Readonly<Record<string, unknown>>,
): readonly TaskFile[] {
  const implementations = Array.isArray(metadata.implementations) ? metadata.implementations.map(asObject) : [];
  const asked = [metadata, ...implementations].flatMap((each) => listOfFiles(each.files ?? []));
  return [...new Set(asked)].flatMap((file) => listSupportingFiles(files, file));
}

function listSupportingFiles(files: TaskSnapshot, file: string): readonly TaskFile[] {
  const [moduleName = '', mount = '', ...rest] = file.split('/');
  const module = files.environment.findModule(moduleName);
  if (module === null) {
    throw invalidTaskError(`Could not find module ${moduleName} containing task file ${rest.join('/')}`);
  }
  if (!MOUNTS.includes(mount)) {
    throw invalidTaskError(
      `Files must be saved in module directories that Puppet makes available via mount points: ${MOUNTS.join(', ')}`,
    );
  }
  const path = `${module.root}/${mount}/${rest.join('/')}`;
  if (posix.normalize(path) !== path) throw invalidTaskError('File pathnames cannot include relative paths');
  const served = files.findServed(path, 'follow');
  if (served === null) throw new UnusableTask('puppet.tasks/invalid-file', `Could not find ${path} on disk`);
  const endsInSlash = file.endsWith('/');
  if (served.kind === 'directory') {
    if (!endsInSlash)
      throw invalidTaskError(`Directories specified in task metadata must include a trailing slash: ${file}`);
    return files.filesBelow(path.slice(0, -1)).map((below) => toTaskFile(module, below));
  }
  if (endsInSlash) throw invalidTaskError(`Files specified in task metadata cannot include a trailing slash: ${file}`);
  return [toTaskFile(module, path)];
}

function toTaskFile({ name, root }: ModuleInfo, path: string): TaskFile {
  return { filename: `${name}${path.slice(root.length)}`, path };
}

function listOfFiles(value: unknown): readonly string[] {
  if (!Array.isArray(value))
    throw invalidTaskError(`The 'files' task metadata expects an array, got ${String(value)}.`);
  return value.map(String);
}

function isListOrNothing(value: unknown): boolean {
  return value === undefined || value === null || Array.isArray(value);
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function invalidTaskError(message: string): UnusableTask {
  return new UnusableTask('puppet.tasks/invalid-metadata', message);
}
