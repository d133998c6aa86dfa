import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createClients } from '../chaos/chaos-clients.ts';
import { ServerLife } from '../chaos/server-life.ts';
import { type ClientCredentials, sendRequest } from '../chaos/tls-client.ts';
import { findFreePort } from '../helpers/free-port.ts';
import { sampleProcess } from '../soak/process-sample.ts';
import { type Row, row } from './table.ts';

const AT_ONCE = 4;
/** The server has given back by then what it needs no more. */
const REST_MS = 75_000;
const RETRY_MS = 500;
const MOST_TRIES = 200;

/**
 * Starts `npm start` with two workers on a control repo (`facts/<certname>.json` beside its
 * environments), lets all its nodes get catalogs in `production` three times, each time with other
 * facts, and reads the resident memory of the process after the start, after the catalogs, and at
 * rest.
 */
export async function serverMemoryRows(controlRepo: string): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-bench-'));
  const place = { data: join(folder, 'data'), compileCache: join(folder, 'cache'), port: await findFreePort() };
  const names = readdirSync(join(controlRepo, 'facts')).map((name) => name.replace(/\.json$/, ''));
  const clients = await createClients(place.data, names);
  const lines: string[] = [];
  const observer = { onLine: (line: string) => lines.push(line), onEvent: () => undefined };
  const server = new ServerLife({ ...place, controlRepo }, null, observer);
  try {
    await server.untilListening();
    if (!server.isAlive) throw new Error(`the server ended: ${lines.join('\n')}`);
    const measure = () => sampleProcess(server.pid).residentMb;
    const started = measure();
    const failed = new Set<string>();
    for (const round of [1, 2, 3]) {
      const left = [...clients.nodes.values()];
      const work = async () => {
        for (let node = left.pop(); node !== undefined; node = left.pop()) {
          const facts = JSON.parse(readFileSync(join(controlRepo, 'facts', `${node.certname}.json`), 'utf8'));
          const status = await getCatalog(node, place.port, { ...facts, bench_round: round, uptime_seconds: round });
          if (status !== 200) failed.add(`${node.certname}: ${status}`);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    }
    const busy = measure();
    await pause(REST_MS);
    const what = `server of ${names.length} nodes, 2 workers${failed.size === 0 ? '' : ` (${failed.size} without a catalog)`}`;
    return [
      row(`${what}: started`, 'MB', started, null, 'worse'),
      row(`${what}: after three catalogs a node`, 'MB', busy, null, 'worse'),
      row(`${what}: at rest`, 'MB', measure(), null, 'worse'),
    ];
  } finally {
    await server.kill();
    clients.stores.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Asks until the catalog is there or fails; returns the last status. */
async function getCatalog(node: ClientCredentials, port: number, values: object): Promise<number> {
  const facts = JSON.stringify({ name: node.certname, values });
  for (let tries = 1; ; tries += 1) {
    const { status } = await sendRequest(node, port, {
      method: 'POST',
      path: `/puppet/v3/catalog/${node.certname}?environment=production`,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'Accept-Encoding': 'gzip' },
      body: `facts_format=application%2Fjson&facts=${encodeURIComponent(encodeURIComponent(facts))}`,
    });
    if ((status !== 503 && status !== 0) || tries === MOST_TRIES) return status;
    await pause(RETRY_MS);
  }
}
