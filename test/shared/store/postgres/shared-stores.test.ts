import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type BrokerMail, Mailboxes } from '../../../../shared/orchestrator/broker/mailbox.ts';
import { readDamage } from '../../../../shared/store/embedded/damage/damage-log.ts';
import { keepLeading } from '../../../../shared/store/keep-leading.ts';
import type { ReceivedCompileJob } from '../../../../shared/store/ports/compile-queue.ts';
import { StoreUnavailable } from '../../../../shared/store/ports/store-errors.ts';
import { PostgresConnection } from '../../../../shared/store/postgres/connection.ts';
import { Heartbeat } from '../../../../shared/store/postgres/instances.ts';
import { openPostgresStores, type PostgresStores } from '../../../../shared/store/postgres/stores.ts';
import { canSharePostgres, createTestDatabase } from '../../../helpers/shared-postgres.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-shared-'));
const opened: PostgresStores[] = [];
let url: string;
afterAll(async () => {
  await Promise.all(opened.map((stores) => stores.close()));
  rmSync(folder, { recursive: true });
});

async function open(instance: string): Promise<PostgresStores> {
  const stores = await openPostgresStores(url, { directory: folder, connections: 4, instance });
  opened.push(stores);
  return stores;
}

const job = (certname: string) => ({ certname, generation: 1, reason: 'asked', at: 1 });

describe.skipIf(!canSharePostgres())('servers that share a database', () => {
  let one: PostgresStores;
  let two: PostgresStores;
  beforeEach(async () => {
    url = await createTestDatabase();
    [one, two] = [await open('one'), await open('two')];
  });

  it('never have two jobs of a node that nobody received, and receive none twice', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `n${index}`);
    const received: string[] = [];
    const send = async (stores: PostgresStores) => {
      for (let round = 0; round < 12; round += 1) {
        await stores.queue.send(round % 2 === 0 ? 'express' : 'background', names.toSorted().map(job));
        const rows = await stores.database.selectAll(
          'SELECT certname FROM jobs WHERE receipt IS NULL GROUP BY certname HAVING count(*) > 1',
        );
        expect(rows).toEqual([]);
      }
    };
    const take = async (stores: PostgresStores) => {
      for (let round = 0; round < 40; round += 1) {
        for (const one of await stores.queue.receive(3, 0)) {
          received.push(one.receipt);
          await settle(stores, one, round);
        }
      }
    };
    await Promise.all([send(one), send(two), send(one), take(one), take(two), take(two)]);
    expect(new Set(received).size).toBe(received.length);
    const left = await one.queue.getDepth();
    expect(left.express.inFlight + left.background.inFlight).toBe(0);
  });

  it('get the jobs of one that died, at once when its heart stands still', async () => {
    const beat = { detail: { host: 'a', release: '0', process: 1 }, reportFault: () => {} };
    const heart = await Heartbeat.start(one.database, one.clock, { name: 'one', ...beat });
    await one.queue.send('express', [job('a')]);
    expect(await one.queue.receive(1, 0)).toHaveLength(1);
    const other = await Heartbeat.start(two.database, two.clock, { name: 'two', ...beat });
    expect(await two.queue.receive(1, 0)).toEqual([]);
    await one.database.run("UPDATE instances SET seen_at = seen_at - 25000 WHERE name = 'one'");
    expect((await two.servers.list()).map(({ name, isAlive }) => [name, isAlive])).toEqual([
      ['one', false],
      ['two', true],
    ]);
    await other.beatOnce();
    expect(await two.queue.receive(1, 0)).toMatchObject([{ job: { certname: 'a' }, receiveCount: 2 }]);
    await Promise.all([heart.stop(), other.stop()]);
    expect(await two.servers.list()).toEqual([]);
  });

  it('return a job that was received when the answer was lost', async () => {
    await one.queue.send('express', [job('a'), job('b')]);
    const [held] = await one.queue.receive(1, 0);
    vi.spyOn(one.database, 'get').mockImplementationOnce(async (...statement) => {
      await PostgresConnection.prototype.get.apply(one.database, statement);
      throw new StoreUnavailable('the connection ended');
    });
    await expect(one.queue.receive(1, 0)).rejects.toThrow('the connection ended');
    expect(await two.queue.receive(1, 0)).toEqual([]);
    expect(await one.queue.receive(5, 0)).toMatchObject([{ job: { certname: 'b' }, receiveCount: 2 }]);
    if (held) await one.queue.acknowledge(held);
    expect((await one.queue.getDepth()).express).toMatchObject({ visible: 0, inFlight: 1 });
  });

  it('read changes without a gap, those of a node in order, while others write', async () => {
    await one.nodeChanges.follow('reader');
    const seen: string[] = [];
    let position = 0;
    const read = async () => {
      const turn = await one.nodeChanges.read('reader', 50);
      expect(turn.pass === null || seen.length === 0).toBe(true);
      for (const change of turn.changes) {
        position += 1;
        seen.push(`${change.certname} ${change.kind === 'facts' ? change.after.at : change.kind}`);
      }
      if (turn.changes.length > 0) expect(turn.position).toBe(position);
      await one.nodeChanges.advance('reader', { position: turn.position, pass: null });
    };
    const write = async (stores: PostgresStores, name: string) => {
      await stores.nodes.markSeen(name, 'production', 1);
      for (let at = 1; at <= 30; at += 1) await stores.nodes.factsStored(name, { digest: `d${at}`, at });
    };
    let isDone = false;
    const reading = (async () => {
      while (!isDone) await read();
    })();
    await Promise.all([...'abcd'].map((name, index) => write(index % 2 === 0 ? one : two, name)));
    isDone = true;
    await reading;
    await read();
    await read();
    for (const name of 'abcd') {
      const own = seen.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(2));
      expect(own).toEqual(['created', ...Array.from({ length: 30 }, (_, at) => String(at + 1))]);
    }
  });

  it('wake those who wait for a job on another server', async () => {
    const waiting = two.queue.receive(1, 20_000);
    // Its connection that listens is open by then.
    await expect.poll(() => two.database.use.open).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await one.queue.send('express', [job('a')]);
    expect(await waiting).toHaveLength(1);
  });

  it('wake by name those who wait on another server, for as long as rings arrive', async () => {
    const woken: string[] = [];
    const stop = new AbortController();
    const wait = (name: string) => two.doorbell.wait(60_000, stop.signal, name).then(() => woken.push(name));
    const waiting = [wait('a'), wait('b')];
    await expect.poll(() => two.doorbell.isHeard).toBe(true);
    one.doorbell.ring('b');
    await expect.poll(() => woken).toEqual(['b']);
    stop.abort();
    await Promise.all(waiting);
    const [mails, sender] = [new Mailboxes(two, 'two 1'), new Mailboxes(one, 'one 1')];
    const mailed = mails.wait('two', 60_000, new AbortController().signal);
    await sender.send('two', { kind: 'drop', uri: 'pcp://a/agent', epoch: 1 });
    await mailed;
    const taken: BrokerMail[] = [];
    for await (const mail of mails.take('two')) taken.push(mail);
    expect(taken).toEqual([{ kind: 'drop', uri: 'pcp://a/agent', epoch: 1 }]);
    // PostgreSQL ends the connection that listens.
    await one.database.run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'two' AND query LIKE 'LISTEN%'",
    );
    await expect.poll(() => two.doorbell.isHeard).toBe(false);
    await expect.poll(() => two.doorbell.isHeard).toBe(true);
  });

  it('do what one does alone, one at a time, and another one when it ends', async () => {
    const stops = [new AbortController(), new AbortController()];
    const log: string[] = [];
    const lead = (stores: PostgresStores, holder: string, { signal }: AbortController) =>
      keepLeading(
        { ports: stores, name: 'work', holder, reportFault: (error) => log.push(String(error)) },
        signal,
        async (own) => {
          log.push(`${holder} begins`);
          await new Promise((resolve) => own.addEventListener('abort', resolve));
          log.push(`${holder} ends`);
        },
      );
    const [first = new AbortController(), second = new AbortController()] = stops;
    const running = [lead(one, 'one', first)];
    await vi.waitFor(() => expect(log).toEqual(['one begins']));
    running.push(lead(two, 'two', second));
    await expect(one.documents.get('leases', 'leader-work')).resolves.toMatchObject({ holder: 'one' });
    first.abort();
    await vi.waitFor(() => expect(log).toEqual(['one begins', 'one ends', 'two begins']), { timeout: 30_000 });
    second.abort();
    await Promise.all(running);
    expect(await one.documents.get('leases', 'leader-work')).toBeNull();
  });

  it('refuse another key file than that of the first', async () => {
    const other = mkdtempSync(join(tmpdir(), 'understudy-other-'));
    await expect(openPostgresStores(url, { directory: other, connections: 1 })).rejects.toThrow(
      /another key|cannot be opened|sealed/,
    );
    rmSync(other, { recursive: true });
  });

  it('find a damaged chunk of a blob, which counts as absent then', async () => {
    await one.blobs.put('files/a', Buffer.alloc(1_500_000, 'x'));
    await one.database.run('UPDATE blob_chunks SET bytes = set_byte(bytes, 7, 0) WHERE number = 1');
    expect(await two.blobs.get('files/a')).toBeNull();
    expect(readDamage(folder)).toContainEqual({ kind: 'blob', name: 'files/a' });
    await one.blobs.put('files/a', Buffer.from('new'));
    expect(Buffer.from((await two.blobs.get('files/a')) ?? []).toString()).toBe('new');
    expect(await one.database.get('SELECT count(*) AS chunks FROM blob_chunks')).toEqual({ chunks: 1 });
  });
});

/** Now and then, a worker fails, and the job comes again. */
async function settle(stores: PostgresStores, received: ReceivedCompileJob, round: number): Promise<void> {
  if (round % 5 === 0) await stores.queue.retryAfter(received, 0);
  else await stores.queue.acknowledge(received);
}
