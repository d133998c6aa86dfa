import { pathOf } from '../routing/match-route.ts';

/** A file of an environment's code; a path with a slash at the begin is that of a shared module. */
interface Place {
  readonly environment: string;
  readonly path: string;
}

/** The folder of code on servers of Puppet, which catalogs and reports name. */
const CODE_FOLDER = '/etc/puppetlabs/code/';

/**
 * The place that a file of a catalog, a report or a failure is in: named by its whole path, or
 * relative to the folder of `environment`. Null for a file that is in no code.
 */
export function findCodePlace(file: string, environment: string | null): Place | null {
  const below = file.startsWith(CODE_FOLDER) ? file.slice(CODE_FOLDER.length) : file;
  const [, named, path] = /^environments\/(\w+)\/(.+)$/.exec(below) ?? [];
  if (named !== undefined && path !== undefined) return { environment: named, path };
  if (environment === null || (file.startsWith('/') && below === file)) return null;
  return { environment, path: file };
}

/** The whole path of an input, whose name is relative to the folder of code. */
export function wholePathOf(input: string): string {
  return `${CODE_FOLDER}${input}`;
}

interface CodeView extends Place {
  /** Null: the code in force. */
  readonly codeId: string | null;
  /** The line that is marked, from 1; null: none. */
  readonly line: number | null;
  /** The line in the middle of what is read; absent: the marked one, or the first. */
  readonly middle?: number;
}

/** The path of the page that shows a place in code. */
export function codePath({ environment, path, codeId, line, middle }: CodeView): string {
  const query = new URLSearchParams({ path });
  if (codeId !== null) query.set('code', codeId);
  if (line !== null) query.set('line', String(line));
  if (middle !== undefined) query.set('middle', String(middle));
  return `${pathOf('code', 'file', environment)}?${query}`;
}
