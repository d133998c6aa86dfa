import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { drainExportChanges } from '../../shared/fleet/compiles/invalidate-collectors.ts';
import { openPostgresStores } from '../../shared/store/postgres/stores.ts';
import { inParallel } from '../../shared/util/in-parallel.ts';
import { Installation, PassingClock } from '../cost/installation.ts';
import { LocalProcess } from '../e2e/local-process.ts';
import { AT_ONCE } from '../helpers/compile-world.ts';
import { createTestDatabase } from '../helpers/shared-postgres.ts';
import { StatementCounts } from '../helpers/statement-counts.ts';

type Texts = ReadonlyMap<string, number>;

/** A fleet of this size is counted in hours rather than minutes, unless works are side by side. */
const LARGE = 500;
const LANES = 8;

/** The statements of works of one node, or of a server, by their texts. */
export interface CountedWorks {
  /** A whole run of an agent: its catalog is current, and its report says that nothing changed. */
  readonly run: Texts;
  /** Its request for the catalog alone. */
  readonly check: Texts;
  /** A request for a catalog with a changed fact that it uses, which is not held. */
  readonly change: Texts;
  /** The job that compiles it, from its receipt to its end. */
  readonly compile: Texts;
  /** A request with a changed fact that no catalog uses. */
  readonly fact: Texts;
  /** A changed resource is announced, and the job of the node that collects it is sent. */
  readonly exported: Texts;
  /** All nodes: a deploy that changes all catalogs, and the ring. */
  readonly deploy: Texts;
  readonly ring: Texts;
  /** A server with one worker, a broker and an orchestrator in `restMs`; null: none. */
  readonly rest: Texts | null;
}

const EXPORTS = `@@notify { "from \${trusted['certname']}": message => $facts['colour'] }
if $trusted['certname'] =~ /^web1\\./ { Notify <<| title == 'from web0.example.com' |>> }
`;

/**
 * Counts the statements of works with a fleet of so many nodes. `restMs`: the time in which a
 * server at rest is counted; 0: it is not.
 */
export async function countWorks(nodes: number, restMs: number): Promise<CountedWorks> {
  const directory = mkdtempSync(join(tmpdir(), 'understudy-statements-'));
  const url = await createTestDatabase();
  const counts = await StatementCounts.open(url);
  writeFileSync(join(directory, 'values-key'), randomBytes(32).toString('hex'), { mode: 0o600 });
  const keyFile = join(directory, 'values-key');
  const stores = await openPostgresStores(url, { directory, keyFile, connections: 8 });
  const clock = new PassingClock(Date.now());
  const installation = await Installation.over({ ...stores, clock }, clock, { holdMs: 0 });
  const feed = () => drainExportChanges(stores.changes, { ...stores, clock }, AT_ONCE);
  try {
    const works = await countInstallation(installation, counts, nodes, feed);
    const rest = restMs === 0 ? null : await countRest(url, directory, counts, restMs);
    return { ...works, rest };
  } finally {
    installation.close();
    await stores.close();
    await counts.close();
    rmSync(directory, { recursive: true });
  }
}

async function countInstallation(
  installation: Installation,
  counts: StatementCounts,
  nodes: number,
  feed: () => Promise<number>,
): Promise<Omit<CountedWorks, 'rest'>> {
  const certnames = Array.from({ length: nodes }, (_, index) => `web${index}.example.com`);
  const [first = '', second = '', third = ''] = certnames;
  const atOnce = nodes >= LARGE ? LANES : 1;
  await installation.deploy('first');
  await inParallel(atOnce, certnames, (certname) => installation.askCatalog(certname, 'silver'));
  await installation.work(atOnce);
  // The first deploy, runs and turn of the ring of a process fill caches.
  await installation.turnRing(undefined, atOnce);
  const deploy = await counts.during(() => installation.deploy('second', '', atOnce));
  const ring = await counts.during(() => installation.turnRing(undefined, atOnce));
  for (const certname of [first, second, third]) await installation.run(certname, 'silver');
  const run = await counts.during(async () => {
    await installation.list(second);
    await installation.askCatalog(second, 'silver');
    await installation.report(second, 'unchanged');
    await installation.pass(0);
  });
  const check = await counts.during(() => installation.askCatalog(second, 'silver'));
  await installation.check(second, 'gold');
  const change = await counts.during(() => installation.askCatalog(second, 'silver'));
  const compile = await counts.during(() => installation.work());
  const fact = await counts.during(() => installation.askCatalog(second, 'silver', 'red'));
  await installation.deploy('second', EXPORTS, atOnce);
  while ((await feed()) > 0);
  await installation.work();
  await installation.check(first, 'silver', 'green');
  const exported = await counts.during(feed);
  return { run, check, change, compile, fact, exported, deploy, ring };
}

async function countRest(url: string, folder: string, counts: StatementCounts, restMs: number): Promise<Texts> {
  writeFileSync(join(folder, 'ca-key'), randomBytes(32).toString('hex'), { mode: 0o600 });
  const data = join(folder, 'server');
  mkdirSync(data);
  const keys = ['--key-file', join(folder, 'values-key'), '--ca-key-file', join(folder, 'ca-key')];
  const flags = ['--database', url, '--server-name', 'puppet', '--pcp-port', '0', '--orchestrator-port', '0', ...keys];
  const server = await LocalProcess.start({ data, flags });
  try {
    await pause(START_MS);
    return await counts.during(() => pause(restMs));
  } finally {
    await server.end('SIGKILL');
  }
}

/** By then a server leads everything, and its first rounds are over. */
const START_MS = 15_000;
