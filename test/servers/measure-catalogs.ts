import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openKeyFileVault } from '../../shared/store/embedded/key-file-vault.ts';
import { openPostgresStores } from '../../shared/store/postgres/stores.ts';
import { inParallel } from '../../shared/util/in-parallel.ts';
import { prepareClients } from '../chaos/chaos-clients.ts';
import { type ClientCredentials, sendRequest } from '../chaos/tls-client.ts';
import { writeControlRepo } from '../cost/installation.ts';
import { LocalProcess } from '../e2e/local-process.ts';
import { deployFolder } from '../helpers/deploy-folder.ts';
import { listFamily, readCpuTime } from '../helpers/real-process.ts';
import { createTestDatabase, findPostmaster } from '../helpers/shared-postgres.ts';

/** What a new catalog costs, in milliseconds of CPU, with its request and its compile. */
export interface CatalogCost {
  /** Of all servers. */
  readonly serverMs: number;
  readonly databaseMs: number;
  /** Catalogs a second. */
  readonly rate: number;
}

/**
 * Nodes that wait at a time, for any number of servers: where processors are short, all that runs
 * takes more of their time.
 */
const WAITING = 2;
/** Code that ran so often is compiled by V8, in each server. */
const WARM_ROUNDS = 2;
const RETRY_MS = 200;

/**
 * Starts servers with one worker each over one PostgreSQL, and so many nodes for each of them. In
 * each round, all nodes come with a fact that changes their catalogs. Rounds before them fill the
 * caches of each server alike.
 */
export async function measureCatalogs(servers: number, nodes: number, rounds: number): Promise<CatalogCost> {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-scaling-'));
  const url = await createTestDatabase();
  const keyFiles = ['values-key', 'ca-key'].map((name) => join(folder, name));
  for (const file of keyFiles) writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600 });
  const [keyFile = '', caKeyFile = ''] = keyFiles;
  const stores = await openPostgresStores(url, { directory: folder, keyFile, connections: 2 });
  const running: LocalProcess[] = [];
  try {
    const names = Array.from({ length: nodes * servers }, (_, index) => `n${index}.example.com`);
    const clients = await prepareClients(stores, openKeyFileVault(caKeyFile, false), names, true);
    writeControlRepo(join(folder, 'code'), 'text');
    await deployFolder(stores, join(folder, 'code'), 'production', 'test');
    const keys = ['--key-file', keyFile, '--ca-key-file', caKeyFile, '--orchestrator-port', 'off'];
    for (let number = 0; number < servers; number += 1) {
      const data = join(folder, `server${number}`);
      mkdirSync(data);
      running.push(await LocalProcess.start({ data, flags: ['--database', url, '--server-name', 'puppet', ...keys] }));
    }
    const askAll = async (tier: string) => {
      const all = [...clients.nodes.values()].map((node, index) => ({
        node,
        port: running[index % servers]?.port ?? 0,
      }));
      await inParallel(WAITING, all, ({ node, port }) => askCatalog(node, port, tier));
    };
    for (let round = 0; round < WARM_ROUNDS; round += 1) await askAll(`warm ${round}`);
    const readServers = () => sumCpu(running.map(({ pid }) => pid));
    const readDatabase = () => sumCpu(listFamily(findPostmaster()));
    const [serverMs, databaseMs, began] = [readServers(), readDatabase(), performance.now()];
    for (let round = 0; round < rounds; round += 1) await askAll(`round ${round}`);
    const catalogs = nodes * servers * rounds;
    return {
      serverMs: (readServers() - serverMs) / catalogs,
      databaseMs: (readDatabase() - databaseMs) / catalogs,
      rate: catalogs / ((performance.now() - began) / 1000),
    };
  } finally {
    await Promise.all(running.map((server) => server.end('SIGKILL')));
    await stores.close();
    rmSync(folder, { recursive: true });
  }
}

function sumCpu(processes: readonly number[]): number {
  return processes.reduce((sum, id) => sum + readCpuTime(id), 0);
}

/** Asks for the catalog until it is there, as an agent does. */
async function askCatalog(node: ClientCredentials, port: number, tier: string): Promise<void> {
  const facts = JSON.stringify({ name: node.certname, values: { os: 'Debian', tier } });
  const form = new URLSearchParams({ environment: 'production', facts_format: 'application/json', facts });
  const path = `/puppet/v3/catalog/${node.certname}?environment=production`;
  const headers = {
    'Content-Type': 'application/x-www-form-urlencoded',
    Accept: 'application/vnd.puppet.rich+json, application/json',
  };
  for (;;) {
    const { status, body } = await sendRequest(node, port, { method: 'POST', path, headers, body: form.toString() });
    if (status === 200) return;
    if (status !== 503) throw new Error(`${node.certname}: ${status} ${body}`);
    await pause(RETRY_MS);
  }
}
