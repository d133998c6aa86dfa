import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { invalidateQueryWatchers } from '../../../../shared/inventory/answers/invalidate-watchers.ts';
import { QueryAnswers } from '../../../../shared/inventory/answers/query-answers.ts';
import type { InventoryDatabase } from '../../../../shared/inventory/database/inventory-database.ts';
import { DatabaseUnavailable } from '../../../../shared/inventory/database/inventory-database.ts';
import { InventoryFeed } from '../../../../shared/inventory/feed/inventory-feed.ts';
import { compile } from '../../../../shared/puppet/compiler/compile.ts';
import type { Clock } from '../../../../shared/store/ports/clock.ts';
import { systemClock } from '../../../../shared/store/system-clock.ts';
import { AT_ONCE, CompileWorld, catalogOf, checkIn } from '../../../helpers/compile-world.ts';
import { openTestDatabase, type TestDatabase } from '../../../helpers/inventory-database.ts';

const SITE = `
node 'lb.test' {
  $found = puppetdb_query('resources[certname] { type = "Notify" and exported = true }')
  notify { 'queried': message => $found.map |$row| { $row['certname'] }.join(' ') }
  Notify <<| |>>
}
node 'unrelated.test' {
  notify { 'kernels': message => String(puppetdb_query('inventory[certname] { facts.kernel = "Linux" }').length) }
}
node default {
  if $facts['serves'] == 'yes' { @@notify { "from \${trusted['certname']}": message => $facts['version'] } }
}
`;

let opened: TestDatabase;
let world: CompileWorld;
let feed: InventoryFeed;
let answers: QueryAnswers;
let isAway = false;
let ahead = 0;
const clock: Clock = { ...systemClock, now: () => systemClock.now() + ahead };

beforeAll(async () => {
  opened = await openTestDatabase();
  const { database: real } = opened;
  const refuse = () => {
    if (isAway) throw new DatabaseUnavailable('it is away');
  };
  const database: InventoryDatabase = {
    transaction: async (body) => {
      refuse();
      return real.transaction(body);
    },
    async *read(statement, limits) {
      refuse();
      yield* real.read(statement, limits);
    },
    perform: async (task, argument) => {
      refuse();
      return real.perform(task, argument);
    },
    close: () => real.close(),
  };
  answers = new QueryAnswers(database);
  world = new CompileWorld(clock, compile);
  Object.assign(world.context, { inventory: answers });
  world.write({ 'environments/production/manifests/site.pp': SITE });
  await world.deploy();
  const common = { database: real, identity: 'test', producer: 'puppet', idleMs: null, onTrouble: () => undefined };
  feed = new InventoryFeed({ stores: world.stores, ...common });
});
afterAll(async () => {
  world.close();
  await opened.remove();
});

/** Feeds the inventory, invalidates nodes, and compiles: what the server does in the background. */
async function settle(): Promise<{ readonly invalidated: number; readonly compiled: readonly string[] }> {
  ahead += 60_000;
  for (let after: string | null = ''; after !== null; ) after = await feed.continuePass(after);
  const invalidated = await invalidateQueryWatchers({
    stores: world.stores,
    database: opened.database,
    answers,
    timing: AT_ONCE,
  });
  const reports = await world.runJobs();
  return {
    invalidated,
    compiled: reports.flatMap(({ certname, outcome }) => (outcome === 'compiled' ? [certname] : [])),
  };
}

async function messagesOf(certname: string): Promise<unknown> {
  const { resources } = catalogOf(await world.run(checkIn(certname))) as {
    resources: readonly { type: string; title: string; parameters?: { message?: string } }[];
  };
  return Object.fromEntries(
    resources.flatMap(({ type, title, parameters }) => (type === 'Notify' ? [[title, parameters?.message]] : [])),
  );
}

const run = (certname: string, facts: Record<string, string>) => world.run(checkIn(certname, facts));

describe('queries in manifests', () => {
  it('are answered, and compiled again when the answer changes, as exported resources are', async () => {
    await run('lb.test', {});
    expect(await messagesOf('lb.test')).toEqual({ queried: '' });
    await run('web1.test', { serves: 'yes', version: '1' });
    await settle();
    expect(await messagesOf('lb.test')).toEqual({ queried: 'web1.test', 'from web1.test': '1' });
    await run('web2.test', { serves: 'yes', version: '1' });
    await settle();
    const both = { 'from web1.test': '1', 'from web2.test': '1' };
    expect(await messagesOf('lb.test')).toEqual({ queried: 'web1.test web2.test', ...both });
    await run('web1.test', { serves: 'no', version: '1' });
    await settle();
    expect(await messagesOf('lb.test')).toEqual({ queried: 'web2.test', 'from web2.test': '1' });
  });

  it('invalidate nobody when the answer stays the same, or another query has it', async () => {
    await run('unrelated.test', {});
    await settle();
    await run('web3.test', { serves: 'no', version: '1' });
    expect(await settle()).toEqual({ invalidated: 0, compiled: [] });
    await run('web3.test', { serves: 'no', version: '2' });
    expect(await settle()).toEqual({ invalidated: 0, compiled: [] });
    await run('web4.test', { kernel: 'Linux' });
    expect(await settle()).toEqual({ invalidated: 1, compiled: ['unrelated.test'] });
    expect(await messagesOf('unrelated.test')).toEqual({ kernels: '1' });
  });

  it('record the query and the digest of its answer, which laps of the ring verify', async () => {
    const { inputs, wanted } = (await world.stores.nodes.get('unrelated.test')) ?? { wanted: 0 };
    const query = 'inventory[certname] { facts.kernel = "Linux" }';
    const [digest] = (await answers.digest([query], null)).values();
    expect(inputs?.queries).toEqual({ [query]: digest });
    await opened.database.transaction(async (connection) => {
      await connection.run({ text: 'delete from query_watchers', values: [] });
      await connection.run({
        text: "update certnames set deactivated = now() where certname = 'web4.test'",
        values: [],
      });
    });
    const job = { certname: 'unrelated.test', generation: wanted + 1, reason: 'ring', at: clock.now() };
    await world.stores.queue.send('background', [job]);
    const [report] = await world.runJobs();
    expect(report).toMatchObject({ outcome: 'compiled', reasons: [`the answer changed to the query ${query}`] });
  });

  it('leave the catalog in force while the inventory is away, and are no reason then', async () => {
    isAway = true;
    const before = await world.stores.nodes.get('unrelated.test');
    const job = { certname: 'unrelated.test', generation: (before?.wanted ?? 0) + 1, reason: 'ring', at: clock.now() };
    await world.stores.queue.send('background', [job]);
    expect((await world.runJobs()).map(({ outcome }) => outcome)).toEqual(['verified']);
    world.write({ 'environments/production/manifests/site.pp': SITE.replaceAll('kernels', 'Kernels') });
    await world.deploy();
    await expect(world.runJobs()).rejects.toThrow('the inventory: it is away');
    const after = await world.stores.nodes.get('unrelated.test');
    expect([after?.catalog?.hash, after?.failure]).toEqual([before?.catalog?.hash, null]);
    isAway = false;
    ahead += 3600_000;
    expect((await world.runJobs()).map(({ outcome }) => outcome)).toContain('compiled');
  });

  it('forget what no catalog asks any more', async () => {
    const site = SITE.replace(/^ {2}notify \{ 'kernels'.*$/m, '');
    world.write({ 'environments/production/manifests/site.pp': site });
    ahead += 3600_000;
    await world.deploy();
    await world.runJobs();
    await run('unrelated.test', {});
    await run('web5.test', { serves: 'yes', version: '1' });
    await settle();
    const rows = await opened.database.transaction((connection) =>
      connection.run({ text: 'select query from watched_queries order by query', values: [] }),
    );
    expect(rows).toEqual([['resources[certname] { type = "Notify" and exported = true }']]);
  });
});
