/**
 * The data that a port call reads or writes. Two calls commute when they share no key that one of
 * them writes. A key that ends in `*` stands for all keys with that beginning. Calls without a
 * footprint commute with all others: content-addressed blobs.
 */
export type Footprint = readonly { readonly key: string; readonly isWrite: boolean }[];

/** Whether the order of two calls can matter. */
export function doConflict(one: Footprint, other: Footprint): boolean {
  return one.some((a) => other.some((b) => (a.isWrite || b.isWrite) && isSameKey(a.key, b.key)));
}

function isSameKey(one: string, other: string): boolean {
  if (one === other) return true;
  if (one.endsWith('*') && other.startsWith(one.slice(0, -1))) return true;
  return other.endsWith('*') && one.startsWith(other.slice(0, -1));
}

type Arguments = readonly unknown[];
type Describe = (method: string, args: Arguments) => Footprint;

const read = (key: string): Footprint => [{ key, isWrite: false }];
const write = (key: string): Footprint => [{ key, isWrite: true }];

const PORTS: Readonly<Record<string, Describe>> = {
  nodes: (method, args) => (/^(list|getCounts|getSummaries)/.test(method) ? read('node/*') : ofNode(method, args)),
  queue: (method, args) => {
    if (method === 'send') return (listOf(args[1]) as { certname: string }[]).flatMap((job) => queued(job.certname));
    if (method === 'acknowledge' || method === 'retryAfter') return queued(certnameOf(args[0]));
    if (method === 'demote') return queued(text(args[0]));
    return /^(get|list|count)/.test(method) ? read('queue/*') : write('queue/*');
  },
  environments: (method, args) => {
    if (method === 'list') return read('environment/*');
    const name = typeof args[0] === 'string' ? args[0] : text((args[0] as { name?: unknown })?.name);
    return method === 'get' ? read(`environment/${name}`) : write(`environment/${name}`);
  },
  documents: (method, args) => {
    const key = `document/${text(args[0])}/${text(args[1])}`;
    if (method === 'list' || method === 'countKeys') return read(`${key}*`);
    return method === 'get' ? read(key) : write(key);
  },
  exports: (method) => {
    if (method === 'collect' || method === 'digestCollected') return read('exports');
    if (method === 'getDigest' || method === 'listOwn') return read('exports');
    if (method === 'replaceCollectors') return write('collectors');
    if (method === 'listCollectors') return read('collectors');
    return [...write('exports'), ...write('collectors'), ...write('export-changes')];
  },
  changes: () => write('export-changes'),
  // Nodes and reports are written together with their changes.
  nodeChanges: (method) =>
    method === 'read' ? [...write('node-changes'), ...read('node/*'), ...read('document/*')] : write('node-changes'),
  inventory: () => write('inventory'),
  // Blobs that get lost: their content may come and go.
  fragile: (method) => (/^(get|has|stream|list)/.test(method) ? read('disk') : write('disk')),
  disk: () => [...write('disk'), ...read('node/*'), ...read('document/*')],
  dependencies: (method) => (/^(find|list)/.test(method) ? read('dependencies') : write('dependencies')),
  fanOut: (method) => (/^(list|count)/.test(method) ? read('fan-out') : write('fan-out')),
  groups: (method, args) => {
    if (method === 'getWithNode') return [...read('groups'), ...read(`node/${text(args[0])}`)];
    return method === 'get' ? read('groups') : write('groups');
  },
  jobs: (method) => (/^(get|list|read|count)/.test(method) ? read('jobs') : write('jobs')),
  blobs: (method, args) => {
    const key = text(args[0]);
    if (method === 'list') return read(`blob/${key}*`);
    if (/[0-9a-f]{64}/.test(key)) return [];
    return /^(get|has|stream)/.test(method) ? read(`blob/${key}`) : write(`blob/${key}`);
  },
};

/** Returns the footprint of a call; of an unknown port, everything. */
export function footprintOf(port: string, method: string, args: Arguments): Footprint {
  return PORTS[port]?.(method, args) ?? write('*');
}

function ofNode(method: string, args: Arguments): Footprint {
  const key = `node/${method === 'commit' ? certnameOfCommit(args[0]) : text(args[0])}`;
  return method === 'get' ? read(key) : write(key);
}

function queued(certname: string): Footprint {
  return write(`queue/${certname}`);
}

function certnameOf(received: unknown): string {
  return text((received as { job?: { certname?: unknown } }).job?.certname);
}

function certnameOfCommit(commit: unknown): string {
  return text((commit as { certname?: unknown }).certname);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return String(value ?? '');
}
