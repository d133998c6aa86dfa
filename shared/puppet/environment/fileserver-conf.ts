import { posix } from 'node:path';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';

/** A mount of fileserver.conf: a folder of the control repo that agents may read. */
export interface CustomMount {
  readonly name: string;
  /** The served folder. `%h`, `%H` and `%d` in it stand for names of the requesting node. */
  readonly pattern: string;
}

/** Mounts that every file server has, whatever fileserver.conf says about them. */
const BUILT_IN = new Set(['modules', 'plugins', 'pluginfacts', 'locales', 'scripts', 'tasks']);

/**
 * Parses a fileserver.conf (lib/puppet/file_serving/configuration/parser.rb) with the served path
 * `file`. A `path` setting is relative to the folder of `file`, or absolute below `codeDirectory`.
 * Throws PuppetError for a text that cannot be read, a mount without a path, and a path outside of
 * the control repo.
 */
// Differs from Puppet: mounts are deployed with the code, so that agents get one version of both.
// Folders of the host outside of the control repo cannot be mounts.
export function parseFileserverConf(text: string, file: string, codeDirectory: string): readonly CustomMount[] {
  const mounts = new Map<string, string | null>();
  let current: string | null = null;
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.replace(/\r$/, '');
    const place = { file, line: index + 1 };
    const heading = /\[([-\w]+)\]/.exec(line)?.[1];
    const [, name, value = ''] = /^\s*(\w+)\s+(.+?)(?:\s*#.*)?$/.exec(line) ?? [];
    if (/^\s*(#.*)?$/.test(line)) continue;
    if (heading !== undefined) {
      if (mounts.has(heading)) throw new PuppetError(ISSUES.MOUNT_ALREADY_MOUNTED({ name: heading }), place);
      mounts.set(heading, null);
      current = heading;
    } else if (name === 'path' && current !== null) {
      mounts.set(current, resolveServedPath(value.trim(), current, codeDirectory, place));
    } else if (name !== 'allow' && name !== 'deny') {
      throw new PuppetError(
        name === undefined ? ISSUES.INVALID_MOUNT_ENTRY({ line }) : ISSUES.INVALID_MOUNT_ARGUMENT({ name }),
        place,
      );
    }
  }
  return [...mounts].filter(([name]) => !BUILT_IN.has(name)).map(([name, pattern]) => createMount(name, pattern, file));
}

function createMount(name: string, pattern: string | null, file: string): CustomMount {
  if (pattern === null) throw new PuppetError(ISSUES.MOUNT_WITHOUT_PATH({ name }), { file });
  return { name, pattern };
}

interface Place {
  readonly file: string;
  readonly line: number;
}

function resolveServedPath(value: string, mount: string, codeDirectory: string, place: Place): string {
  if (value.startsWith('=')) {
    throw new PuppetError(ISSUES.FILESERVER_SEPARATOR_MISSING(), place);
  }
  const path = posix.resolve(posix.dirname(place.file), value);
  if (!findFixedPart(path).startsWith(`${codeDirectory}/`)) {
    throw new PuppetError(ISSUES.MOUNT_OUTSIDE_CODE({ path: value, mount, codeDirectory }), place);
  }
  return path;
}

/** The part of a mount's folder that is the same for all nodes. This folder is deployed. */
export function findFixedPart(pattern: string): string {
  const segments = pattern.split('/');
  const first = segments.findIndex((segment) => segment.includes('%'));
  return first < 0 ? pattern : segments.slice(0, first).join('/');
}

/**
 * The folder that a mount shows to a node; null when `certname` makes no valid folder name. Follows
 * lib/puppet/file_serving/mount/file.rb (expand, clientmap).
 */
export function expandMount({ pattern }: CustomMount, certname: string): string | null {
  const parts: Readonly<Record<string, string>> = {
    h: certname.replace(/\..*$/, ''),
    H: certname,
    d: certname.replace(/[^.]+\./, ''),
    '%': '%',
  };
  if (/^\.*$|[/\0]/.test(certname)) return null;
  return pattern.replace(/%(.)/g, (whole, key: string) => parts[key] ?? whole);
}
