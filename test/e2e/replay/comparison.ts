import type { ReplayAnswer, ReplayRequest } from './asking.ts';

/** An answer and its request, as they are kept in a file. */
export interface Recorded {
  readonly request: ReplayRequest;
  readonly answer: ReplayAnswer;
}

/** What of an answer must be the same. */
export interface Compared {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
}

/**
 * Headers that say something about the answer; the others are the transport's, or differ from run
 * to run.
 */
const COMPARED_HEADERS = ['content-type', 'location', 'allow', 'content-disposition', 'retry-after'];

/**
 * An answer without what differs from run to run: dates, ids, ETags, the paths of this run, and the
 * order of what has none. We send ETags with files, which Puppet does not; nobody is the worse for
 * it.
 */
export function compared({ status, headers, body }: ReplayAnswer, codeDirectory: string): Compared {
  const shown = COMPARED_HEADERS.map((name) => [name, headers[name]?.toLowerCase()] as const);
  return {
    status,
    headers: {
      ...Object.fromEntries(shown.filter(([, value]) => value !== undefined)),
      'x-puppet-version': headers['x-puppet-version'] === undefined ? undefined : 'some',
    },
    body: readBody(body.replaceAll(codeDirectory, '/etc/puppetlabs/code'), headers['content-type'] ?? ''),
  };
}

function readBody(text: string, type: string): unknown {
  if (!/json|pson/.test(type)) return text;
  try {
    return sorted(JSON.parse(text));
  } catch {
    return text;
  }
}

const VOLATILE: ReadonlySet<string> = new Set([
  'code_id',
  'catalog_uuid',
  'version',
  'service_version',
  'transaction_uuid',
]);

/**
 * JSON with keys in order, lists of files and the like by their names, and volatile values named.
 */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(sorted);
    const keys = items.map(nameOf);
    if (keys.some((key) => key === null)) return items;
    return items.sort((a, b) => ((nameOf(a) ?? '') < (nameOf(b) ?? '') ? -1 : 1));
  }
  if (typeof value === 'string') return value.replace(/\{[cm]time\}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000/, '{time}');
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, one]) => [key, VOLATILE.has(key) ? 'volatile' : sorted(one)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)));
}

/** What tells an item of a list without order from its neighbours. */
function nameOf(item: unknown): string | null {
  if (typeof item !== 'object' || item === null) return null;
  for (const key of ['relative_path', 'filename', 'path', 'name']) {
    const value = (item as Record<string, unknown>)[key];
    if (typeof value === 'string') return value;
  }
  return null;
}
