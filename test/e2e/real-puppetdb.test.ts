import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventoryServer } from '../../shared/http/listener/inventory-server.ts';
import { answerInventory } from '../../shared/http/routes/inventory/inventory-app.ts';
import { HttpCommandSender } from '../../shared/inventory/forward/http-command-sender.ts';
import { keepFollowing } from '../../shared/store/follow-changes.ts';
import { systemClock } from '../../shared/store/system-clock.ts';
import { ForwardWorld } from '../helpers/forward-world.ts';
import { type InventoryWorld, openInventoryWorld } from '../helpers/inventory-world.ts';
import type { ManualClock } from '../helpers/memory-stores.ts';
import { hasPuppetdb, type RealPuppetdb, startPuppetdb } from '../helpers/real-puppetdb.ts';

const HOUR_MS = 3600_000;
const NODES = 45;
const SHORT_MS = 600_000;

/** A way to a PuppetDB that can be interrupted. */
class Line {
  readonly #port: number;
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;
  port = 0;

  constructor(port: number) {
    this.#port = port;
  }

  async open(): Promise<void> {
    const server = createServer((near) => {
      const far = connect(this.#port, '127.0.0.1');
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(one);
        one.pipe(other);
        one.on('error', () => other.destroy());
        one.on('close', () => this.#sockets.delete(one));
      }
    });
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async cut(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

const uuidOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** The rows of an answer, each as text. */
async function ask(url: string, query: string): Promise<readonly string[]> {
  const answer = await fetch(`${url}/pdb/query/v4?${new URLSearchParams({ query })}`);
  if (!answer.ok) throw new Error(`${query}: ${await answer.text()}`);
  const rows = (await answer.json()) as readonly Record<string, unknown>[];
  return rows.map((row) => JSON.stringify(row, (key, value) => (key === 'href' ? undefined : sortSet(key, value))));
}

const sortSet = (key: string, value: unknown) =>
  (key === 'tags' || key === 'metrics') && Array.isArray(value)
    ? value.map((one) => JSON.stringify(one)).toSorted()
    : value;

/** Waits until PuppetDB has applied what it took. */
async function waitForRows(url: string, query: string, count: number): Promise<readonly string[]> {
  const until = Date.now() + SHORT_MS;
  for (;;) {
    const rows = await ask(url, query);
    if (rows.length === count) return rows;
    if (Date.now() > until) throw new Error(`${query} has ${rows.length} rows, not ${count}`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/** Debian's PuppetDB takes 40 s of CPU to start: only `npm run test:live` asks it. */
describe.skipIf(process.env.TEST_LIVE === undefined || !hasPuppetdb())('a real PuppetDB', () => {
  let real: RealPuppetdb;
  let line: Line;
  let world: ForwardWorld;
  beforeAll(async () => {
    real = await startPuppetdb(console.error);
    line = new Line(Number(new URL(real.url).port));
    await line.open();
    const url = `http://127.0.0.1:${line.port}`;
    world = new ForwardWorld(new HttpCommandSender({ url }), url, Date.now() - 3 * HOUR_MS);
  }, 2 * SHORT_MS);
  afterAll(async () => {
    world?.close();
    await line?.cut();
    await real?.stop();
  }, SHORT_MS);

  it(
    'gets our facts, catalogs and reports in order, and loses none while it is away for an hour',
    async () => {
      for (let number = 0; number < NODES; number += 1) {
        await world.sayFacts(`n${number}.test`, 'before');
        await world.commit(`n${number}.test`, 'Before');
        await world.sendReport(`n${number}.test`, uuidOf(number));
      }
      await world.follow();
      const before = await waitForRows(real.url, 'reports[transaction_uuid] { type = "agent" }', NODES);
      expect(before.toSorted()).toEqual(
        Array.from({ length: NODES }, (_, number) => JSON.stringify({ transaction_uuid: uuidOf(number) })),
      );
      await waitForRows(real.url, 'catalogs[certname] {}', NODES);

      await line.cut();
      for (let minute = 0; minute < 30; minute += 1) {
        world.clock.time += 60_000;
        await world.sayFacts(`n${minute % 3}.test`, `away ${minute}`);
        await world.commit(`n${minute % 3}.test`, `Away${minute}`);
        await world.sendReport(`n${minute % 3}.test`, uuidOf(1000 + minute));
      }
      const failures = await followFor(HOUR_MS);
      expect(failures).toBeGreaterThan(50);
      await line.open();
      await world.follow();

      const reports =
        'reports[certname, transaction_uuid] { certname ~ "^n[012]\\\\.test$" order by producer_timestamp }';
      const stored = await waitForRows(real.url, reports, 33);
      expect(stored.slice(3)).toEqual(
        Array.from({ length: 30 }, (_, minute) =>
          JSON.stringify({ certname: `n${minute % 3}.test`, transaction_uuid: uuidOf(1000 + minute) }),
        ),
      );
      const newest = (number: number) => [`{"certname":"n${number}.test","value":"away ${27 + number}"}`];
      for (const number of [0, 1, 2]) {
        const facts = `facts[certname, value] { name = "kernel" and certname = "n${number}.test" and value ~ "away 2[789]" }`;
        expect(await waitForRows(real.url, facts, 1)).toEqual(newest(number));
        const resources = `resources[title] { certname = "n${number}.test" and title = "Away${27 + number}" }`;
        await waitForRows(real.url, resources, 1);
      }
      expect(world.troubles).toEqual([]);
    },
    SHORT_MS,
  );

  /** Follows the changes for so long by the simulated clock; gives how often PuppetDB was away. */
  async function followFor(milliseconds: number): Promise<number> {
    const { clock, stores, forwarder } = world;
    const [stopping, until] = [new AbortController(), clock.now() + milliseconds];
    const sleep = async (pause: number) => {
      await clock.sleep(pause);
      if (clock.now() > until) stopping.abort();
    };
    const ticking = Object.assign(Object.create(clock) as ManualClock, { sleep, now: () => clock.now() });
    let failures = 0;
    await keepFollowing(stores.nodeChanges, forwarder, ticking, stopping.signal, () => {
      failures += 1;
    });
    return failures;
  }

  it(
    'is imported, also when that was killed in between',
    async () => {
      const inventory = await openInventoryWorld();
      const folder = mkdtempSync(join(tmpdir(), 'understudy-import-'));
      inventory.services.queue.start();
      const server = await startInventoryServer({
        answer: (request) => answerInventory(request, inventory.services),
        host: '127.0.0.1',
        port: 0,
        clock: systemClock,
        reportFailure: (error) => inventory.faults.push(error),
      });
      try {
        const to = `http://127.0.0.1:${server.port}`;
        const killed = await runImport(folder, to, (child, output) => {
          if (output.includes('20 of 45 nodes')) child.kill('SIGKILL');
        });
        expect(killed.signal).toBe('SIGKILL');
        const resumed = await runImport(folder, to, () => undefined);
        expect(resumed.output).toContain('continuing after n');
        expect(resumed.output).toContain('imported 45 nodes');
        await compare(inventory, to);
      } finally {
        await server.close(0);
        await inventory.services.queue.stop();
        await inventory.remove();
        rmSync(folder, { recursive: true });
      }
    },
    SHORT_MS,
  );

  async function compare(inventory: InventoryWorld, url: string): Promise<void> {
    for (const query of [
      'nodes[certname, facts_environment, catalog_environment, report_timestamp, latest_report_status] {}',
      'facts[certname, name, value, environment] {}',
      'resources[certname, type, title, tags, exported, file, line, parameters] {}',
      'reports[certname, transaction_uuid, status, noop, producer, start_time, metrics, logs] {}',
    ]) {
      const expected = (await ask(real.url, query)).toSorted();
      expect(expected.length, query).toBeGreaterThan(NODES - 1);
      expect((await ask(url, query)).toSorted(), query).toEqual(expected);
    }
    expect(inventory.faults).toEqual([]);
  }

  async function runImport(folder: string, to: string, watch: (child: ChildProcess, output: string) => void) {
    const script = new URL('../../functions/cli.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, [script, 'import', 'puppetdb', real.url, '--to', to], { cwd: folder });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += String(chunk);
        watch(child, output);
      });
    }
    const signal = await new Promise((resolve) => child.once('exit', (_, name) => resolve(name)));
    return { output, signal };
  }
});
