import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { USUALLY_LEFT_OUT } from '../../config/left-out.ts';
import { fileStat } from '../../puppet/environment/file-tree.ts';
import { type CustomMount, findFixedPart, parseFileserverConf } from '../../puppet/environment/fileserver-conf.ts';
import {
  FILESERVER_CONF,
  SERVED_CODE_DIRECTORY,
  type Snapshot,
  type SnapshotFile,
  USUAL_FOLDER_MODE,
} from '../../puppet/environment/snapshot.ts';
import { digestSha256 } from '../../util/digest.ts';
import { inParallel } from '../../util/in-parallel.ts';
import { NamedError } from '../../util/named-error.ts';
import { LinkBoundary } from './link-boundary.ts';
import { readSourceFile } from './read-source-file.ts';

/** An environment in a control repo: its snapshot, and the location of each file's content. */
export interface ScannedEnvironment {
  readonly snapshot: Snapshot;
  /** By sha256: a local file with that content. */
  readonly sources: ReadonlyMap<string, string>;
}

const READS_AT_ONCE = 16;
const MODE_BITS = 0o777;
const MS_A_SECOND = 1000;
const ENVIRONMENT_NAME = /^\w+$/;

/** The folder is not a control repo with that environment; the message names it. */
export class NoSuchEnvironment extends NamedError {}

/**
 * The folder exists but has nothing that makes it an environment; the message names it and what was
 * expected.
 */
export class EmptyEnvironment extends NoSuchEnvironment {}

/** A symbolic link leads out of the control repo; the message names it and its target. */
export class LinkLeavesRepo extends NoSuchEnvironment {
  constructor(path: string, target: string) {
    super(
      `'${path}' is a symbolic link to '${target}', outside of the control repo; it is only followed with --follow-links`,
    );
    this.name = 'LinkLeavesRepo';
  }
}

/** A folder is an environment if it has one of these files, or a file in one of these folders. */
const PLACES = [
  'environment.conf',
  'hiera.yaml',
  FILESERVER_CONF,
  'manifests',
  'modules',
  'site',
  'site-modules',
  'data',
  'hieradata',
  'functions',
  'types',
  'plans',
  'tasks',
];

/** The most common places, for messages. */
export const USUAL_PLACES = `${PLACES.slice(0, 5).join(', ')} or the like`;

export interface ScanOptions {
  /** Whether a folder without any of these places is accepted as an environment. */
  readonly allowEmpty?: boolean;
  /** Whether symbolic links may lead out of the control repo. */
  readonly followLinks?: boolean;
  /** Names of files and folders that are left out; absent: `USUALLY_LEFT_OUT`. */
  readonly leaveOut?: readonly string[];
}

/**
 * Scans `<controlRepo>/environments/<name>`, the shared `<controlRepo>/modules` and
 * `<controlRepo>/hiera.yaml`. A control repo may be a single environment itself: it has no
 * `environments` folder, but `manifests`, `environment.conf` or the like. Symbolic links are
 * followed; their targets count as files at the link's path. The folder of the environment and that
 * of shared modules may be links to anywhere: the operator made them, and what is below came with
 * the code. Folders that `<controlRepo>/fileserver.conf` mounts belong to each environment. Throws
 * NoSuchEnvironment, EmptyEnvironment, LinkLeavesRepo, and PuppetError for an invalid
 * fileserver.conf.
 */
export async function scanEnvironment(
  controlRepo: string,
  name: string,
  options: ScanOptions = {},
): Promise<ScannedEnvironment> {
  return digestFiles(name, findFiles(controlRepo, name, options));
}

/** Throws the errors of `scanEnvironment` without reading file contents. */
export function checkEnvironment(controlRepo: string, name: string, options: ScanOptions = {}): void {
  findFiles(controlRepo, name, options);
}

function findFiles(controlRepo: string, name: string, options: ScanOptions): FoundFiles {
  const { allowEmpty = false, followLinks = false, leaveOut = USUALLY_LEFT_OUT } = options;
  if (!ENVIRONMENT_NAME.test(name)) throw new NoSuchEnvironment(describeMisnamed(name));
  const base = resolve(controlRepo);
  const environments = join(base, 'environments');
  if (fileStat(base)?.isDirectory() !== true) {
    throw new NoSuchEnvironment(`control repo '${controlRepo}' is not a directory`);
  }
  const root = isDirectory(environments) ? join(environments, name) : base;
  if (!isDirectory(root)) {
    throw new NoSuchEnvironment(
      `control repo '${controlRepo}' has no environment '${name}': ${root} is not a directory`,
    );
  }
  checkMounts(join(root, FILESERVER_CONF), `environments/${name}/${FILESERVER_CONF}`);
  const boundary = followLinks ? null : repoBoundary(base, root);
  const leftOut = new Set(leaveOut);
  const found: FoundFiles = { files: new Map(), links: new Map(), folders: new Map(), boundary, leftOut };
  collectFiles(root, `environments/${name}`, found);
  if (!allowEmpty && !isEnvironment(found, name)) throw emptyEnvironment(controlRepo, root);
  if (root !== base) {
    collectFiles(join(base, 'modules'), 'modules', found);
    for (const file of ['hiera.yaml', FILESERVER_CONF]) {
      checkLink(join(base, file), file, boundary);
      if (isFile(join(base, file))) found.files.set(file, join(base, file));
    }
    for (const folder of listMountedFolders(base)) collectFiles(join(base, folder), folder, found);
  }
  return found;
}

/** Boundary of the links of an environment. `root` is its folder. */
export function repoBoundary(controlRepo: string, root: string): LinkBoundary {
  const base = resolve(controlRepo);
  return new LinkBoundary(root === base ? [base] : [base, root, join(base, 'modules')]);
}

function checkLink(source: string, path: string, boundary: LinkBoundary | null): void {
  const outside = boundary?.findOutside(source) ?? null;
  if (outside !== null) throw new LinkLeavesRepo(path, outside);
}

function isEnvironment({ files, links }: FoundFiles, name: string): boolean {
  const depth = `environments/${name}/`.length;
  return [...files.keys(), ...links.keys()].some((path) => PLACES.includes(path.slice(depth).split('/')[0] ?? ''));
}

function emptyEnvironment(controlRepo: string, root: string): EmptyEnvironment {
  const base = resolve(controlRepo);
  if (root !== base)
    return new EmptyEnvironment(`'${root}' is no environment: there is no file in it of ${USUAL_PLACES}`);
  const meant = basename(base) === 'environments' ? `; its control repo is '${dirname(base)}'` : '';
  return new EmptyEnvironment(
    `'${controlRepo}' is no control repo: it has neither a folder 'environments' nor a file of an environment (${USUAL_PLACES})${meant}`,
  );
}

/** Names of the control repo's environments, sorted. A single-environment repo has `production`. */
export function environmentsOf(controlRepo: string): readonly string[] {
  const environments = join(resolve(controlRepo), 'environments');
  if (!isDirectory(environments)) return ['production'];
  return foldersOf(environments).filter((name) => ENVIRONMENT_NAME.test(name));
}

/**
 * Folders whose names are not valid environment names, so that no agent can request them, with the
 * reason by name.
 */
export function findMisnamedEnvironments(controlRepo: string): readonly (readonly [name: string, fault: string])[] {
  const environments = join(resolve(controlRepo), 'environments');
  if (!isDirectory(environments)) return [];
  return foldersOf(environments).flatMap((name) =>
    ENVIRONMENT_NAME.test(name) || name.startsWith('.') ? [] : [[name, describeMisnamed(name)] as const],
  );
}

function foldersOf(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => isDirectory(join(folder, name)))
    .sort();
}

function describeMisnamed(name: string): string {
  return `'${name}' is no name of an environment: it has letters, digits and _ only`;
}

/**
 * Folders that the fileserver.conf of a multi-environment control repo mounts, relative to the
 * repo. Throws PuppetError for an invalid fileserver.conf.
 */
export function listMountedFolders(base: string): readonly string[] {
  const mounts = checkMounts(join(base, FILESERVER_CONF), FILESERVER_CONF);
  const folders = mounts.map(({ pattern }) => relative(SERVED_CODE_DIRECTORY, findFixedPart(pattern)));
  return [...new Set(folders)].filter((folder) => !/^(environments|modules)(\/|$)/.test(folder));
}

/** The mounts of the fileserver.conf deployed as `path`; empty without such a file. */
function checkMounts(file: string, path: string): readonly CustomMount[] {
  if (!isFile(file)) return [];
  return parseFileserverConf(readFileSync(file, 'utf8'), `${SERVED_CODE_DIRECTORY}/${path}`, SERVED_CODE_DIRECTORY);
}

/** By snapshot path: the file's location, the link's target, the folder's mode. */
interface FoundFiles {
  readonly files: Map<string, string>;
  readonly links: Map<string, string>;
  readonly folders: Map<string, number>;
  /** Null when links may lead anywhere. */
  readonly boundary: LinkBoundary | null;
  /** Names that are not deployed. */
  readonly leftOut: ReadonlySet<string>;
}

async function digestFiles(name: string, { files, links, folders }: FoundFiles): Promise<ScannedEnvironment> {
  const sources = new Map<string, string>();
  const times: Record<string, number> = {};
  const entries = await inParallel(READS_AT_ONCE, [...files].sort(), async ([path, source]) => {
    const bytes = await readSourceFile(source);
    const digest = digestSha256(bytes);
    sources.set(digest, source);
    const stat = statSync(source);
    const file: SnapshotFile = { sha256: digest, size: bytes.byteLength, mode: stat.mode & MODE_BITS };
    times[path] = Math.floor(stat.mtimeMs / MS_A_SECOND);
    return [path, file] as const;
  });
  const snapshot = {
    environment: name,
    files: Object.fromEntries(entries),
    ...(links.size > 0 ? { links: Object.fromEntries(links) } : {}),
    ...(folders.size > 0 ? { folders: Object.fromEntries(folders) } : {}),
    times,
  };
  return { snapshot, sources };
}

/** `seen` has the real paths of the parent folders: a link back to one of them is not followed. */
function collectFiles(folder: string, path: string, into: FoundFiles, seen: readonly string[] = []): void {
  const stat = fileStat(folder);
  if (!stat?.isDirectory()) return;
  const identity = `${stat.dev}:${stat.ino}`;
  if (seen.includes(identity)) return;
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !into.leftOut.has(name));
  const mode = stat.mode & MODE_BITS;
  if (entries.length === 0 || mode !== USUAL_FOLDER_MODE) into.folders.set(path, mode);
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const source = join(folder, entry.name);
    const target = `${path}/${entry.name}`;
    if (entry.isSymbolicLink()) {
      checkLink(source, target, into.boundary);
      into.links.set(target, readlinkSync(source));
    }
    if (isFile(source)) into.files.set(target, source);
    else collectFiles(source, target, into, [...seen, identity]);
  }
}

function isDirectory(path: string): boolean {
  return fileStat(path)?.isDirectory() === true;
}

function isFile(path: string): boolean {
  return fileStat(path)?.isFile() === true;
}
