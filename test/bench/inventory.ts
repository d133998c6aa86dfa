import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { INVENTORY_FOLDER } from '../../shared/config/inventory.ts';
import { findFreePort } from '../helpers/free-port.ts';
import { end, readCpuTime, readResident, waitForStart } from '../helpers/real-process.ts';
import { hasPuppetdb, isUp, type RealPuppetdb, startPuppetdb } from '../helpers/real-puppetdb.ts';
import { median } from './measure.ts';
import { type Row, row } from './table.ts';

const RUNS = 21;
const WARM_UPS = 3;
const RESOURCES = 300;
const SENT_AT_ONCE = 4;
const MEGABYTE = 2 ** 20;
/** See shared/local/memory-at-rest.ts. */
const REST_MS = 60_000;

const QUERIES: readonly (readonly [what: string, path: string, query: string | null])[] = [
  ['a node', '/nodes/node-0007.example.com', null],
  ['the facts of a node', '/nodes/node-0007.example.com/facts', null],
  ['a resource of a node', '', 'resources { certname = "node-0007.example.com" and type = "Class" and title = "C7" }'],
  [
    'the latest report of a node',
    '',
    'reports[hash, status] { certname = "node-0007.example.com" and latest_report? = true }',
  ],
  ['nodes by a fact', '', 'inventory[certname] { facts.os.family = "Debian" }'],
  ['nodes by a class', '', 'nodes[certname] { resources { type = "Class" and title = "C7" } }'],
  ['a fact of all nodes', '/facts/kernel', null],
  ['a collector', '', 'resources { exported = true and type = "Host" }'],
  ['nodes by a pattern, 50 of them in order', '', 'nodes { certname ~ "7" order by certname limit 50 }'],
  [
    'packages that are to be the latest',
    '',
    'resources[certname, title] { type = "Package" and parameters.ensure = "latest" }',
  ],
  ['a count by a fact', '', 'inventory[facts.os.name, count()] { group by facts.os.name }'],
];

/**
 * Gives the same data to a server's inventory and to a real PuppetDB, and asks both in turns.
 * Figures are wall time, because the work is in other processes; the ratios are of one run.
 */
export async function inventoryRows(nodes: number, isAlone: boolean): Promise<readonly Row[]> {
  const rest = await measureRest();
  const ours = await startInventory();
  let real: RealPuppetdb | null = null;
  try {
    if (!isAlone && hasPuppetdb()) real = await startPuppetdb(say);
    else if (!isAlone) say('no PuppetDB is installed: there is nothing to compare with');
    const cpu = readCpuTime(ours.process.pid ?? 0);
    const commands = await fill('the inventory', ours.url, nodes);
    const perSecond = (1000 * commands) / (readCpuTime(ours.process.pid ?? 0) - cpu);
    if (real !== null) await fill('PuppetDB', real.url, nodes);
    const rows: Row[] = [];
    for (const [what, path, query] of QUERIES) {
      const [own, theirs] = await measureBoth(ours.url, real?.url ?? null, path, query);
      rows.push(row(what, 'ms', own.median, theirs?.median ?? null, 'worse'));
      rows.push(row(`${what}: the slowest of ${RUNS}`, 'ms', own.slowest, theirs?.slowest ?? null, 'worse'));
    }
    const memory = real === null ? null : real.readMemory() / MEGABYTE;
    const own = await readAtRest(ours.process);
    return [
      ...rows,
      row('commands stored', '/CPU s', perSecond, null, 'better'),
      row(
        'disk of a node, with what the database keeps for itself',
        'kB',
        ours.readDisk() / nodes / 1000,
        null,
        'worse',
      ),
      row('resident memory of the inventory', 'MB', own - rest, memory, 'worse'),
      row('resident memory with the rest of the server', 'MB', own, memory, 'worse'),
    ];
  } finally {
    await ours.stop();
    await real?.stop();
  }
}

function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return files.reduce((sum, one) => sum + statSync(join(one.parentPath, one.name)).size, 0);
}

function say(line: string): void {
  console.error(`# ${line}`);
}

interface OwnInventory {
  readonly url: string;
  readonly process: ChildProcess;
  /** Bytes of the files of its database. */
  readDisk(): number;
  stop(): Promise<void>;
}

/** The resident memory of a server, in megabytes, when it has given back what it needs no more. */
async function readAtRest(server: ChildProcess): Promise<number> {
  await pause(REST_MS);
  return readResident(server.pid ?? 0) / MEGABYTE;
}

/** The resident memory, in megabytes, of a server that has no inventory. */
async function measureRest(): Promise<number> {
  const server = await startServer(false);
  try {
    return await readAtRest(server.process);
  } finally {
    await server.stop();
  }
}

/** `npm start` with an inventory, for the second time: making a database takes its own memory. */
async function startInventory(): Promise<OwnInventory> {
  const first = await startServer(true);
  await first.stop(false);
  return startServer(true, first.data);
}

interface Server extends OwnInventory {
  readonly data: string;
  stop(isLast?: boolean): Promise<void>;
}

async function startServer(hasInventory: boolean, folder?: string): Promise<Server> {
  const data = folder ?? mkdtempSync(join(tmpdir(), 'understudy-bench-inventory-'));
  const port = await findFreePort();
  const off = ['pcp-port', 'access-port', 'orchestrator-port', 'console-port'].flatMap((name) => [`--${name}`, 'off']);
  const script = join(import.meta.dirname, '../../functions/start-server');
  const inventory = hasInventory ? ['--puppetdb-port', String(port)] : [];
  const flags = ['--data', data, '--port', '0', '--workers', '1', ...inventory, ...off];
  const log = join(data, 'bench.log');
  rmSync(log, { force: true });
  const output = openSync(log, 'a');
  const child = spawn(script, flags, { stdio: ['ignore', output, output] });
  const url = `http://127.0.0.1:${port}`;
  const stop = async (isLast = true) => {
    await end(child, 'SIGTERM');
    if (isLast) rmSync(data, { recursive: true, force: true });
  };
  try {
    const hasGreeted = async () => readFileSync(log, 'utf8').includes('npx understudy ca sign');
    const isReady = hasInventory ? () => isUp(url) : hasGreeted;
    await waitForStart({ name: `the server in ${data}`, child, log, isUp: isReady, say });
  } catch (error) {
    await stop();
    throw error;
  }
  const readDisk = () => sizeOf(join(data, INVENTORY_FOLDER));
  return { url, process: child, data, readDisk, stop };
}

/** Figures of both, asked in turns; null without a PuppetDB. */
async function measureBoth(own: string, real: string | null, path: string, query: string | null) {
  const times: [number[], number[]] = [[], []];
  let sizes: readonly number[] = [];
  for (let run = 0; run < RUNS + WARM_UPS; run += 1) {
    const [first, firstSize] = await measure(own, path, query);
    const [second, secondSize] = real === null ? [0, firstSize] : await measure(real, path, query);
    sizes = [firstSize, secondSize];
    if (run < WARM_UPS) continue;
    times[0].push(first);
    times[1].push(second);
  }
  if (sizes[0] !== sizes[1]) throw new Error(`${path}${query}: ${sizes[0]} rows here, ${sizes[1]} in PuppetDB`);
  const summarize = (some: readonly number[]) => ({ median: median([...some]), slowest: Math.max(...some) });
  return [summarize(times[0]), real === null ? null : summarize(times[1])] as const;
}

async function measure(url: string, path: string, query: string | null): Promise<readonly [number, number]> {
  const began = performance.now();
  const parameters = query === null ? '' : `?${new URLSearchParams({ query })}`;
  const answer = await fetch(`${url}/pdb/query/v4${path}${parameters}`);
  const rows: unknown = await answer.json();
  if (!answer.ok) throw new Error(`${path} ${query}: status ${answer.status}`);
  return [performance.now() - began, Array.isArray(rows) ? rows.length : 1];
}

/** Sends the commands of all nodes, and waits until each is stored. Returns their number. */
async function fill(name: string, url: string, nodes: number): Promise<number> {
  const began = performance.now();
  let commands = 0;
  const waiting = Array.from({ length: nodes }, (_, index) => index);
  const work = async () => {
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      for (const [command, version, payload] of describeNode(index)) {
        const parameters = {
          command,
          version: String(version),
          certname: nameOf(index),
          secondsToWaitForCompletion: '300',
        };
        const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
        const target = `${url}/pdb/cmd/v1?${new URLSearchParams(parameters)}`;
        const answer = await fetch(target, { method: 'POST', headers, body: JSON.stringify(payload) });
        if (!answer.ok) throw new Error(`${command} of ${nameOf(index)}: ${await answer.text()}`);
        commands += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: SENT_AT_ONCE }, work));
  say(`${name} took ${nodes} nodes in ${Math.round((performance.now() - began) / 1000)} s`);
  return commands;
}

const nameOf = (index: number): string => `node-${String(index).padStart(4, '0')}.example.com`;
const TIME = '2026-11-05T10:00:00.000Z';

/** A node's facts, catalog and report. Most resources are those of other nodes of its role. */
function describeNode(index: number): readonly (readonly [string, number, unknown])[] {
  const certname = nameOf(index);
  const common = { certname, environment: 'production', producer: 'bench.example.com', producer_timestamp: TIME };
  const family = ['Debian', 'RedHat', 'Suse'][index % 3];
  const values = {
    ...Object.fromEntries(
      Array.from({ length: 100 }, (_, n) => [`fact${n}`, { value: n % 7 === 0 ? index : n, text: 'x'.repeat(40) }]),
    ),
    kernel: 'Linux',
    os: { family, name: `${family}${index % 5}`, release: { major: String(index % 4) } },
    trusted: { certname, extensions: { pp_role: `role${index % 10}` } },
  };
  const resources = [
    ...Array.from({ length: RESOURCES }, (_, n) => describeResource(index, n)),
    {
      type: 'Host',
      title: certname,
      tags: ['host'],
      exported: true,
      file: null,
      line: null,
      parameters: { ip: `10.0.0.${index % 250}` },
    },
  ];
  const edges = resources
    .slice(1)
    .map((one) => ({ source: nameResource(resources[0]), target: nameResource(one), relationship: 'contains' }));
  const nothing = { transaction_uuid: null, catalog_uuid: null, code_id: null, job_id: null };
  const event = {
    status: 'success',
    timestamp: TIME,
    name: 'changed',
    property: 'ensure',
    new_value: 'present',
    old_value: 'absent',
    message: 'created',
    corrective_change: null,
  };
  const changed = resources.slice(0, 5).map(({ type, title }) => ({
    skipped: false,
    timestamp: TIME,
    resource_type: type,
    resource_title: title,
    file: null,
    line: null,
    containment_path: [],
    corrective_change: null,
    events: [event],
  }));
  const run = {
    puppet_version: '8.10.0',
    report_format: 12,
    configuration_version: '1',
    start_time: TIME,
    end_time: TIME,
    status: 'changed',
    noop: false,
    noop_pending: false,
    corrective_change: null,
    cached_catalog_status: 'not_used',
  };
  return [
    ['replace_facts', 5, { ...common, values }],
    ['replace_catalog', 9, { ...common, ...nothing, version: '1', resources, edges }],
    ['store_report', 8, { ...common, ...nothing, ...run, logs: [], metrics: [], resources: changed }],
  ];
}

function describeResource(index: number, number: number) {
  const type = ['Class', 'File', 'Package', 'Service', 'Exec'][number % 5] ?? 'File';
  const own = number % 20 === 0 ? `-${index}` : '';
  const title =
    type === 'Class' ? `C${(index % 10) + Math.floor(number / 5) * 10}` : `thing-${index % 10}-${number}${own}`;
  const parameters = {
    ensure: number % 50 === 2 ? 'latest' : 'present',
    mode: '0644',
    content: 'text '.repeat(20),
    order: number,
  };
  return {
    type,
    title,
    tags: [type.toLowerCase(), 'bench'],
    exported: false,
    file: '/site.pp',
    line: number,
    parameters,
  };
}

const nameResource = (one: { readonly type: string; readonly title: string } | undefined) => ({
  type: one?.type,
  title: one?.title,
});
