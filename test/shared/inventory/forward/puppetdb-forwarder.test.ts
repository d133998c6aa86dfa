import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { catalogBlob, putCatalog } from '../../../../shared/fleet/catalogs/catalog-blob.ts';
import { purgeNode } from '../../../../shared/fleet/code/purge-node.ts';
import { storeFacts } from '../../../../shared/fleet/nodes/facts-blob.ts';
import { storeQuietRun } from '../../../../shared/fleet/nodes/node-reports.ts';
import type { InventoryCommand } from '../../../../shared/inventory/commands/apply-command.ts';
import { CommandRejected, PuppetdbAway } from '../../../../shared/inventory/forward/command-sender.ts';
import { PuppetdbForwarder } from '../../../../shared/inventory/forward/puppetdb-forwarder.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import { EmbeddedBlobStore } from '../../../../shared/store/embedded/blob-store.ts';
import { EmbeddedDatabase } from '../../../../shared/store/embedded/database.ts';
import { createTables } from '../../../../shared/store/embedded/stores.ts';
import { exportsDigest } from '../../../../shared/store/exports-digest.ts';
import { followOnce, keepFollowing } from '../../../../shared/store/follow-changes.ts';
import { ManualClock } from '../../../helpers/memory-stores.ts';

/** Stores of a server, a PuppetDB that a test describes, and what it took. */
function openWorld(answer: (command: InventoryCommand) => void) {
  const directory = mkdtempSync(join(tmpdir(), 'understudy-forward-'));
  const clock = new ManualClock(Date.UTC(2026, 10, 5));
  const database = new EmbeddedDatabase(directory);
  const tables = createTables(database, { clock });
  const stores = { ...tables, clock, blobs: new EmbeddedBlobStore(directory) };
  const [taken, troubles]: [InventoryCommand[], string[]] = [[], []];
  const forwarder = new PuppetdbForwarder({
    stores,
    sender: {
      send: async (command) => {
        answer(command);
        taken.push(command);
      },
    },
    url: 'https://puppetdb.test:8081',
    producer: 'p.test',
    onTrouble: (message) => troubles.push(message),
  });
  const close = () => {
    database.close();
    rmSync(directory, { recursive: true });
  };
  return { clock, stores, taken, troubles, forwarder, close };
}
type World = ReturnType<typeof openWorld>;

let respond: (command: InventoryCommand) => void = () => undefined;
let world: World;
beforeEach(() => {
  respond = () => undefined;
  world = openWorld((command) => respond(command));
});
afterEach(() => world.close());

async function sayFacts(certname: string, kernel: string): Promise<void> {
  const { stores, clock } = world;
  const said = { facts: PuppetHash.of([['kernel', kernel]]), trusted: PuppetHash.of([['certname', certname]]) };
  await stores.nodes.markSeen(certname, 'production', clock.now());
  const facts = await storeFacts(stores.blobs, said, clock.now());
  await stores.nodes.want(certname, 'facts', clock.now(), { asked: true, facts });
}

async function commit(certname: string, title: string): Promise<void> {
  const { stores, clock } = world;
  const at = clock.now();
  const resource = { type: 'Class', title, tags: ['class'], exported: false };
  const catalog = catalogBlob(JSON.stringify({ name: certname, resources: [resource], edges: [] }), 'c', at);
  await putCatalog(stores.blobs, catalog, 'c');
  const generation = (await stores.nodes.want(certname, 'code', at, { asked: true }))?.wanted ?? 0;
  const nothing = { facts: {}, trusted: {}, settings: {}, collectors: [], collected: '', volatile: [] };
  const inputs = { environment: 'production', compiler: 'c', ...nothing };
  const pointer = { hash: catalog.hash, codeId: 'c', compiledAt: at, durationMs: 1, exported: exportsDigest([]) };
  await stores.nodes.lease(certname, at, at, null);
  await stores.nodes.commit({ certname, generation, catalog: pointer, failure: null, inputs, at });
}

async function sendReport(certname: string, uuid: string): Promise<void> {
  const summary = {
    certname,
    receivedAt: world.clock.now(),
    status: 'unchanged',
    environment: 'production',
    time: new Date(world.clock.now()).toISOString(),
    puppetVersion: '8.0.0',
    transactionUuid: uuid,
    noop: false,
    quiet: {},
  };
  await storeQuietRun(world.stores, summary);
}

async function follow(): Promise<void> {
  while (await followOnce(world.stores.nodeChanges, world.forwarder));
}

/** What PuppetDB took since the last look. */
function takeCommands(): readonly string[] {
  return world.taken.splice(0).map(({ command, certname, payload }) => {
    const data = JSON.parse(payload) as {
      values?: { kernel: string };
      transaction_uuid?: string;
      resources?: readonly { title: string }[];
    };
    const [resource] = data.resources ?? [];
    return `${command} ${certname} ${data.values?.kernel ?? resource?.title ?? data.transaction_uuid ?? ''}`.trim();
  });
}

describe('a PuppetDB that gets our changes', () => {
  it('gets what there is, then each change once, and that a node is gone', async () => {
    await sayFacts('a.test', 'Linux');
    await commit('a.test', 'Web');
    await follow();
    expect(takeCommands()).toEqual(['replace facts a.test Linux', 'replace catalog a.test Web']);
    await sayFacts('a.test', 'Linux');
    await commit('a.test', 'Web');
    await follow();
    expect(takeCommands()).toEqual([]);
    await sayFacts('a.test', 'Darwin');
    await commit('a.test', 'Db');
    await sendReport('a.test', 'u-1');
    await follow();
    expect(takeCommands()).toEqual([
      'replace facts a.test Darwin',
      'replace catalog a.test Db',
      'store report a.test u-1',
    ]);
    await purgeNode('a.test', world.stores);
    await follow();
    expect(takeCommands()).toEqual(['deactivate node a.test']);
  });

  it('loses nothing while it is away for an hour, and is asked less and less often', async () => {
    const { clock, stores, forwarder } = world;
    await follow();
    const back = clock.now() + 3600_000;
    let attempts = 0;
    respond = () => {
      attempts += 1;
      if (clock.now() < back) throw new PuppetdbAway('it cannot be reached');
    };
    for (let minute = 0; minute < 30; minute += 1) {
      await sayFacts(`n${minute % 3}.test`, `v${minute}`);
      await commit(`n${minute % 3}.test`, `Class${minute}`);
      await sendReport(`n${minute % 3}.test`, `u-${minute}`);
      clock.time += 1000;
    }
    const stopping = new AbortController();
    const failures: unknown[] = [];
    const sleep = async (milliseconds: number) => {
      await clock.sleep(milliseconds);
      if (clock.now() > back + 300_000) stopping.abort();
    };
    const ticking = Object.assign(Object.create(clock) as ManualClock, { sleep, now: () => clock.now() });
    await keepFollowing(stores.nodeChanges, forwarder, ticking, stopping.signal, (error) => failures.push(error));
    expect(failures.length).toBeGreaterThan(50);
    expect(failures.length).toBeLessThan(80);
    expect(attempts).toBeLessThan(80 * 4 + 100);
    const taken = takeCommands();
    const reports = Array.from({ length: 30 }, (_, minute) => `store report n${minute % 3}.test u-${minute}`);
    const last = [0, 1, 2].flatMap((n) => [
      `replace facts n${n}.test v${27 + n}`,
      `replace catalog n${n}.test Class${27 + n}`,
    ]);
    expect([...taken].sort()).toEqual([...reports, ...last].sort());
  });

  it('gets again only what it did not take before it went away', async () => {
    await follow();
    for (const name of ['a.test', 'b.test', 'c.test']) await sayFacts(name, name);
    respond = ({ certname }) => {
      if (certname === 'b.test') throw new PuppetdbAway('it cannot be reached');
    };
    await expect(follow()).rejects.toThrow('it cannot be reached');
    expect(takeCommands()).toEqual(['replace facts a.test a.test', 'replace facts c.test c.test']);
    respond = () => undefined;
    await follow();
    expect(takeCommands()).toEqual(['replace facts b.test b.test']);
  });

  it('leaves out what it rejects, or fails over ten times, and keeps a letter of that', async () => {
    await follow();
    await sayFacts('a.test', 'bad');
    await sayFacts('b.test', 'hard');
    await sayFacts('c.test', 'good');
    let tries = 0;
    respond = ({ payload }) => {
      if (payload.includes('"bad"')) throw new CommandRejected('status 400: no', true);
      if (!payload.includes('"hard"')) return;
      tries += 1;
      throw new CommandRejected('status 500: oops', false);
    };
    for (let turn = 1; turn < 10; turn += 1) {
      await expect(follow()).rejects.toThrow('https://puppetdb.test:8081 failed with status 500: oops');
    }
    await follow();
    expect([tries, takeCommands()]).toEqual([10, ['replace facts c.test good']]);
    expect(world.troubles).toEqual([
      "'replace facts' of a.test was not taken: status 400: no",
      "'replace facts' of b.test was not taken: status 500: oops",
    ]);
    const letters = await world.stores.documents.list('puppetdb-dead-letters', '', 10);
    expect(letters.map(({ document }) => [document.certname, document.command, document.reason])).toEqual([
      ['a.test', 'replace facts', 'status 400: no'],
      ['b.test', 'replace facts', 'status 500: oops'],
    ]);
  });
});
