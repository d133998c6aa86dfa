import { readdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Snapshot, SnapshotFile } from '../environment/snapshot.ts';
import { inParallel } from '../store/in-parallel.ts';
import { sha256 } from '../util/digest.ts';

/** An environment as it is in a control repo: its snapshot, and where the content of each digest lies. */
export interface ScannedEnvironment {
  readonly snapshot: Snapshot;
  /** By sha256: a file of the host with that content. */
  readonly sources: ReadonlyMap<string, string>;
}

/** Folders of version control and of editors: no part of an environment. */
const LEFT_OUT = new Set(['.git', '.svn', '.hg', '.DS_Store', '.puppet-lint.cache']);
const READS_AT_ONCE = 16;

/** The folder is no control repo with that environment; the message names it. */
export class NoSuchEnvironment extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NoSuchEnvironment';
  }
}

/**
 * Scans `<controlRepo>/environments/<name>`, the shared `<controlRepo>/modules` and `<controlRepo>/hiera.yaml`. A control repo that
 * is one environment itself (it has no `environments` folder, but `manifests`, `environment.conf` or the like) is taken as that.
 * Symbolic links are followed; what they point to counts as lying where the link is. Throws NoSuchEnvironment.
 */
export async function scanEnvironment(controlRepo: string, name: string): Promise<ScannedEnvironment> {
  const base = resolve(controlRepo);
  const environments = join(base, 'environments');
  if (statSync(base, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new NoSuchEnvironment(`control repo '${controlRepo}' is not a directory`);
  }
  const root = isDirectory(environments) ? join(environments, name) : base;
  if (!isDirectory(root)) {
    throw new NoSuchEnvironment(
      `control repo '${controlRepo}' has no environment '${name}': ${root} is not a directory`,
    );
  }
  const paths = new Map<string, string>();
  collectFiles(root, `environments/${name}`, paths);
  if (root !== base) {
    collectFiles(join(base, 'modules'), 'modules', paths);
    if (isFile(join(base, 'hiera.yaml'))) paths.set('hiera.yaml', join(base, 'hiera.yaml'));
  }
  return digestFiles(name, paths);
}

/** Names of the environments that the control repo has, sorted. A repo that is one environment has `production`. */
export function environmentsOf(controlRepo: string): readonly string[] {
  const environments = join(resolve(controlRepo), 'environments');
  if (!isDirectory(environments)) return ['production'];
  return readdirSync(environments)
    .filter((name) => /^\w+$/.test(name) && isDirectory(join(environments, name)))
    .sort();
}

async function digestFiles(name: string, paths: ReadonlyMap<string, string>): Promise<ScannedEnvironment> {
  const sources = new Map<string, string>();
  const entries = await inParallel(READS_AT_ONCE, [...paths].sort(), async ([path, source]) => {
    const bytes = await readFile(source);
    const digest = sha256(bytes);
    sources.set(digest, source);
    const file: SnapshotFile = { sha256: digest, size: bytes.byteLength, mode: statSync(source).mode & 0o777 };
    return [path, file] as const;
  });
  return { snapshot: { environment: name, files: Object.fromEntries(entries) }, sources };
}

/** `seen` holds the real folders above: a link back to one of them is not followed. */
function collectFiles(folder: string, path: string, into: Map<string, string>, seen: readonly string[] = []): void {
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return;
  const identity = `${stat.dev}:${stat.ino}`;
  if (seen.includes(identity)) return;
  for (const name of readdirSync(folder).sort()) {
    if (LEFT_OUT.has(name)) continue;
    const source = join(folder, name);
    if (isFile(source)) into.set(`${path}/${name}`, source);
    else collectFiles(source, `${path}/${name}`, into, [...seen, identity]);
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
