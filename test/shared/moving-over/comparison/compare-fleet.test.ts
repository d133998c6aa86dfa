import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { InventoryClient } from '../../../../shared/cli/client/inventory-client.ts';
import { ComparisonSummary } from '../../../../shared/fleet/comparisons/fleet-comparison.ts';
import type { NodeComparison } from '../../../../shared/fleet/comparisons/node-comparison.ts';
import { type CompareCompile, compareFleet } from '../../../../shared/moving-over/comparison/compare-fleet.ts';
import { PuppetdbSource } from '../../../../shared/moving-over/comparison/puppetdb-source.ts';
import { printJson } from '../../../../shared/puppet/serialization/json.ts';

type Rows = readonly unknown[];
/** What becomes of one request. */
type Fault = 'late' | 'cut' | 'half' | number;

/** The PuppetDB: rows by `path certname`, and what happens to the next requests of one. */
const rows = new Map<string, Rows>();
const faults = new Map<string, Fault[]>();
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (piece) => {
    body += piece;
  });
  request.on('end', () => {
    const path = (request.url ?? '').replace('/pdb/query/v4', '');
    const certname = /"certname","([^"]+)"/.exec(body)?.[1] ?? '';
    const key = `${path} ${certname}`.trim();
    const fault = faults.get(key)?.shift();
    if (fault === undefined) response.writeHead(200).end(JSON.stringify(rows.get(key) ?? []));
    else misbehave(fault, response);
  });
});
let client: InventoryClient;
/** Does not wait long for an answer. */
let hasty: InventoryClient;

function misbehave(fault: Fault, response: ServerResponse): void {
  if (fault === 'late') return;
  if (fault === 'cut') response.destroy();
  else if (fault === 'half') {
    response.writeHead(200).write('[{"certname":');
    setImmediate(() => response.destroy());
  } else response.writeHead(fault).end('boom');
}

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = new InventoryClient({ url });
  hasty = new InventoryClient({ url, timeoutMs: 300 });
});
afterAll(() => {
  client.close();
  hasty.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  rows.clear();
  faults.clear();
});

const file = (content: string, more: object = {}) => ({
  type: 'File',
  title: '/etc/x',
  exported: false,
  parameters: { content },
  ...more,
});
const catalogOf = (resources: Rows) => ({ resources, edges: [] });

/** Adds a node whose catalog in PuppetDB has a file with this content. */
function addNode(certname: string, content = 'one', role = 'web'): void {
  const node = { certname, catalog_environment: 'production', facts_environment: 'old' };
  rows.set('', [...(rows.get('') ?? []), node]);
  const facts = [
    { name: 'role', value: role },
    { name: 'trusted', value: { certname, extensions: { pp_role: role } } },
  ];
  rows.set(`/factsets ${certname}`, [{ certname, facts: { data: facts } }]);
  rows.set(`/catalogs ${certname}`, [{ certname, resources: { data: [file(content)] }, edges: { data: [] } }]);
}

/** Our compiler: a file with the content `one`; nodes of the role `sad` fail. */
const compile: CompareCompile = async ({ certname, facts, trusted }) => {
  const extensions = Object(trusted.get('extensions'));
  if (facts.get('role') === 'sad') {
    return { reply: { status: 'failed', message: `as ever on node ${certname}`, log: [] }, exported: [] };
  }
  expect(extensions.get('pp_role')).toBe(facts.get('role'));
  return { reply: { status: 'ok', catalog: catalogOf([file('one')]), log: [] }, exported: [] };
};

interface Run {
  readonly finished?: readonly string[];
  readonly certnames?: readonly string[];
  readonly compile?: CompareCompile;
  readonly reader?: InventoryClient;
}

async function run({ finished = [], certnames, compile: own = compile, reader = client }: Run = {}) {
  const source = new PuppetdbSource(reader);
  const kept: NodeComparison[] = [];
  const [progress, pauses]: [string[], number[]] = [[], []];
  const sleep = async (milliseconds: number) => {
    pauses.push(milliseconds);
  };
  const found = await compareFleet({
    nodes: source,
    catalogs: source,
    compile: own,
    environment: null,
    certnames: certnames ?? null,
    summary: new ComparisonSummary(),
    finished: new Set(finished),
    atOnce: 1,
    clock: { now: () => 1000, sleep },
    keep: async (comparison, done, total) => {
      kept.push(comparison);
      progress.push(`${done}/${total}`);
    },
  }).catch((error: unknown) => String(error));
  return { found, kept, progress, pauses };
}

describe('a comparison of a fleet', () => {
  it('tells equal, different and failing nodes apart, and groups them', async () => {
    for (const name of ['web1.test', 'web2.test']) addNode(name);
    for (const name of ['old1.test', 'old2.test']) addNode(name, `of ${name}`);
    for (const name of ['sad1.test', 'sad2.test']) addNode(name, 'one', 'sad');
    const { found, kept, progress } = await run();
    expect(found).toEqual({
      compared: 6,
      equal: 2,
      different: 2,
      failing: 2,
      unknown: 0,
      since: 1000,
      until: 1000,
      groups: [
        {
          nodes: ['old1.test', 'old2.test'],
          count: 2,
          differences: [
            { kind: 'changed', resource: 'File[/etc/x]', parameter: 'content', from: 'of old1.test', to: 'one' },
          ],
        },
      ],
      failures: [{ message: 'as ever on node <certname>', count: 2, nodes: ['sad1.test', 'sad2.test'] }],
      unknowns: [],
      omitted: 0,
    });
    expect(kept[0]).toEqual({
      certname: 'old1.test',
      environment: 'production',
      at: 1000,
      outcome: 'different',
      changes: [{ kind: 'changed', resource: 'File[/etc/x]', parameter: 'content', from: 'of old1.test', to: 'one' }],
      omitted: 0,
    });
    expect(progress.at(-1)).toBe('6/6');
  });

  it('says of which nodes facts or catalog are missing', async () => {
    for (const name of ['a1.test', 'b1.test', 'c1.test']) addNode(name);
    rows.delete('/factsets a1.test');
    rows.delete('/catalogs b1.test');
    expect((await run()).found).toMatchObject({
      equal: 1,
      unknown: 2,
      unknowns: [
        { message: 'PuppetDB has no facts of it', nodes: ['a1.test'] },
        { message: 'PuppetDB has no catalog of it', nodes: ['b1.test'] },
      ],
    });
  });

  it.each<[string, Fault]>([
    ['late answers', 'late'],
    ['cut connections', 'cut'],
    ['answers that end early', 'half'],
    ['status 500', 500],
    ['status 503', 503],
  ])('outlasts %s, with growing pauses', async (_, fault) => {
    for (const name of ['a1.test', 'b1.test']) addNode(name);
    faults.set('/catalogs a1.test', [fault, fault]);
    faults.set('', [fault]);
    const { found, pauses } = await run(fault === 'late' ? { reader: hasty } : {});
    expect(found).toMatchObject({ equal: 2, unknown: 0 });
    // A connection that was just closed may be used once more.
    expect(pauses.length).toBeGreaterThanOrEqual(3);
    expect(new Set(pauses)).toEqual(new Set([1000, 2000]));
  });

  it('goes on after a node that gets no answer, and ends when the installation is away', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `n${index}.test`);
    for (const name of names) addNode(name);
    faults.set('/catalogs n1.test', [500, 500, 500, 500]);
    const { found } = await run();
    const reason = `${client.url} cannot be reached: it answered with status 500: boom`;
    expect(found).toMatchObject({ equal: 7, unknowns: [{ message: reason, count: 1, nodes: ['n1.test'] }] });
    for (const name of names.slice(1)) faults.set(`/factsets ${name}`, [500, 500, 500, 500]);
    const ended = await run();
    expect(ended.found).toBe(`ServiceUnreachable: ${reason}`);
    expect(ended.kept.map(({ certname, outcome }) => `${certname} ${outcome}`)).toEqual([
      'n0.test equal',
      ...['n1', 'n2', 'n3', 'n4'].map((name) => `${name}.test unknown`),
    ]);
  });

  it('leaves out what was compared, and takes only nodes that are named', async () => {
    for (const name of ['a1.test', 'b1.test', 'c1.test']) addNode(name);
    const { kept, progress } = await run({ finished: ['a1.test'] });
    expect(kept.map(({ certname }) => certname)).toEqual(['b1.test', 'c1.test']);
    expect(progress).toEqual(['2/3', '3/3']);
    expect((await run({ certnames: ['c1.test'] })).kept.map(({ certname }) => certname)).toEqual(['c1.test']);
  });

  it('takes the members of facts by name, in lists too, since PuppetDB loses their order', async () => {
    addNode('a1.test');
    const value = { id: 1, name: 2, a_long_name: [{ id: 3, also: 4 }] };
    rows.set('/factsets a1.test', [{ certname: 'a1.test', facts: { data: [{ name: 'os', value }] } }]);
    const { facts } = await new PuppetdbSource(client).readNode('a1.test');
    expect(printJson(facts)).toBe('{"os":{"a_long_name":[{"also":4,"id":3}],"id":1,"name":2}}');
  });

  it('leaves out where exported resources are contained', async () => {
    addNode('a1.test');
    const exported = file('one', { title: '/etc/y', exported: true });
    const edge = { source_type: 'Class', source_title: 'A', relationship: 'contains' };
    const edges = [{ ...edge, target_type: 'File', target_title: '/etc/y' }];
    const resources = [{ type: 'Class', title: 'A', exported: false, parameters: {} }, file('one'), exported];
    rows.set('/catalogs a1.test', [{ resources: { data: resources }, edges: { data: edges } }]);
    const own: CompareCompile = async () => ({
      reply: { status: 'ok', catalog: catalogOf([{ type: 'Class', title: 'A' }, file('one')]), log: [] },
      exported: [{ certname: 'a1.test', type: 'File', title: '/etc/y', tags: [], parameters: { content: 'one' } }],
    });
    expect((await run({ compile: own })).found).toMatchObject({ equal: 1 });
  });

  it('takes the order of metaparameters, aliases, secrets and rich values as PuppetDB stores them', async () => {
    addNode('a1.test');
    const stored = file('one', {
      parameters: { content: 'one', alias: ['x'], require: ['Package[a]', 'Package[b]'], age: '2 days' },
    });
    const edges = [
      {
        source_type: 'Class',
        source_title: 'A',
        target_type: 'File',
        target_title: '/etc/x',
        relationship: 'contains',
      },
      { source_type: 'Class', source_title: 'A', target_type: 'File', target_title: '/etc/x', relationship: 'before' },
    ];
    const classes = { type: 'Class', title: 'A', exported: false, parameters: {} };
    rows.set('/catalogs a1.test', [{ resources: { data: [classes, stored] }, edges: { data: edges } }]);
    const ours = {
      resources: [
        { type: 'Class', title: 'A' },
        file('one', {
          parameters: { content: 'one', require: ['Package[b]', 'Package[a]'], age: '2 days', secret: 'x' },
          sensitive_parameters: ['secret'],
        }),
      ],
      edges: [{ source: 'Class[A]', target: 'File[/etc/x]' }],
    };
    const own: CompareCompile = async () => ({ reply: { status: 'ok', catalog: ours, log: [] }, exported: [] });
    expect((await run({ compile: own })).found).toMatchObject({ equal: 1 });
  });
});

describe('the exports and answers of a PuppetDB', () => {
  it('are those of other nodes, read once for each type', async () => {
    const { exports } = new PuppetdbSource(client);
    const one = (certname: string) => ({ certname, title: certname, tags: ['t'], parameters: { port: 1 } });
    rows.set('/resources', [one('a1.test'), one('b1.test')]);
    const query = { type: 'Pool::Member', query: null };
    expect(await exports.collect([query], 'a1.test')).toEqual([
      { ...one('b1.test'), type: 'Pool::Member', returnedTags: [] },
    ]);
    rows.delete('/resources');
    expect(await exports.collect([query], 'b1.test')).toMatchObject([{ certname: 'a1.test' }]);
  });

  it('are rows, or why there are none', async () => {
    const { inventory } = new PuppetdbSource(client);
    rows.set('', [{ certname: 'a' }]);
    const answers = await inventory.ask(['nodes {}'], null);
    expect(answers.get('nodes {}')).toMatchObject({ rows: '[{"certname":"a"}]', error: null });
    faults.set('', [400]);
    expect((await inventory.ask(['nodes {'], null)).get('nodes {')).toMatchObject({ rows: null, error: 'boom' });
  });
});
