import { posix } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readUtf8 } from '../../../puppet/environment/utf8-text.ts';
import type { Value } from '../../../puppet/types/values/values.ts';
import { BoltError, createRefusal } from '../bolt-error.ts';
import { createIssueError, type PlanRun } from '../plan-run.ts';
import { packFolder } from '../tar-folder.ts';
import { definePlanFunction, type PlanFunctions } from './plan-function.ts';

/** A file or folder of a module. */
interface PlanFile {
  readonly path: string;
  /** The content; of a folder, a compressed archive. */
  readonly bytes: Uint8Array;
  readonly isFolder: boolean;
}

/**
 * Finds what `module/path` names: in the module's folder `files`, else in the module itself. A path
 * from the root has to be in the environment. Null when there is none.
 */
function findPath({ environment }: PlanRun, reference: string): string | null {
  const path = posix.normalize(reference);
  if (path.startsWith('/')) return path.startsWith(`${environment.root}/`) ? path : null;
  const [moduleName = '', ...rest] = path.split('/');
  const module = environment.findModule(moduleName);
  if (!module || rest.length === 0) return null;
  const candidates = [posix.join(module.root, 'files', ...rest), posix.join(module.root, ...rest)];
  return candidates.find((one) => environment.kindOf(one) !== null) ?? null;
}

/** Finds a file, or with `any` also a folder. Throws PuppetError. */
export function findPlanFile(run: PlanRun, reference: string, wanted: 'file' | 'any'): PlanFile {
  const path = findPath(run, reference);
  const kind = path === null ? null : run.environment.kindOf(path);
  if (path === null || kind === null) {
    throw createIssueError(run.findPlace(), 'NO_SUCH_FILE_OR_DIRECTORY', `No such file or directory: ${reference}`);
  }
  if (kind === 'directory') {
    if (wanted === 'file') throw createIssueError(run.findPlace(), 'NOT_A_FILE', `${reference} is not a file`);
    return { path, bytes: gzipSync(packFolder(run.environment, path)), isFolder: true };
  }
  const bytes = run.environment.read(path);
  if (bytes === null) {
    throw createIssueError(run.findPlace(), 'NO_SUCH_FILE_OR_DIRECTORY', `No such file or directory: ${reference}`);
  }
  return { path, bytes, isFolder: false };
}

/** The functions that read files of modules; those that write refuse. */
export const fileFunctions: PlanFunctions = (run) => [
  definePlanFunction(run, 'file::read', {
    params: ['String[1] filename'],
    body: (_, [name = '']) => {
      const { path } = findPlanFile(run, String(name), 'file');
      return readUtf8(run.environment, path) ?? '';
    },
  }),
  definePlanFunction(run, 'file::exists', {
    params: ['String[1] filename'],
    body: (_, [name = '']) => findPath(run, String(name)) !== null,
  }),
  definePlanFunction(run, 'file::readable', {
    params: ['String[1] filename'],
    body: (_, [name = '']) => findPath(run, String(name)) !== null,
  }),
  definePlanFunction(run, 'file::join', {
    params: ['+String paths'],
    body: (_, parts) => joinPaths(parts.map(String)),
  }),
  ...['file::write', 'file::delete'].map((name) =>
    definePlanFunction(run, name, {
      params: ['*Any arguments'],
      body: () => refuse(name, 'plans write no files on the server'),
    }),
  ),
  definePlanFunction(run, 'dir::children', {
    params: ['String dirname'],
    body: (_, [name = '']) => listChildren(run, String(name)),
  }),
  definePlanFunction(run, 'system::env', {
    params: ['String name'],
    body: () => refuse('system::env', "the server's environment variables are not for plans"),
  }),
];

function refuse(name: string, reason: string): never {
  throw createRefusal(`${name}() cannot be used in plans on this server: ${reason}`);
}

// Bolt: bolt-modules/dir, which looks in the module itself.
function listChildren(run: PlanRun, name: string): Value {
  const { environment } = run;
  const [moduleName = '', ...rest] = posix.normalize(name).split('/');
  const module = environment.findModule(moduleName);
  const path = module && posix.join(module.root, ...rest);
  const names = path && environment.kindOf(path) === 'directory' ? environment.list(path) : null;
  if (names === null) throw new BoltError(`No such file or directory: ${name}`, 'bolt/file-error');
  return [...names].sort();
}

/** Ruby: File.join */
function joinPaths(parts: readonly string[]): string {
  return parts.reduce((path, part, index) => {
    if (index === 0) return part;
    if (part.startsWith('/')) return `${path.replace(/\/+$/, '')}${part}`;
    return path.endsWith('/') ? `${path}${part}` : `${path}/${part}`;
  }, '');
}
