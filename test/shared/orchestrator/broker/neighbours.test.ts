import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { InstanceReplaced } from '../../../../shared/orchestrator/broker/instance-leases.ts';
import { Mailboxes } from '../../../../shared/orchestrator/broker/mailbox.ts';
import { type JoinOptions, StoredNeighbours } from '../../../../shared/orchestrator/broker/stored-neighbours.ts';
import type { Clock } from '../../../../shared/store/ports/clock.ts';
import type { Stores } from '../../../../shared/store/ports/stores.ts';
import { systemClock } from '../../../../shared/store/system-clock.ts';
import { BrokerWorld, PREFIX } from '../../../helpers/broker-world.ts';
import { ManualClock, MemoryDocuments } from '../../../helpers/memory-stores.ts';
import { describeStores } from '../../../helpers/store-implementations.ts';

/** A broker with its neighbours, which turn their wheels a hundred times as fast. */
class Site {
  readonly #stores: Stores;
  readonly #ends: (() => Promise<void>)[] = [];
  readonly failures: unknown[] = [];
  offset = 0;

  constructor(stores: Stores) {
    this.#stores = stores;
  }

  async start(name: string, options: JoinOptions = {}) {
    let isDead = false;
    const die = () => {
      isDead = true;
    };
    const clock: Clock = {
      now: () => systemClock.now() + this.offset,
      random: () => systemClock.random(),
      // One that died never wakes up again.
      sleep: (milliseconds, signal) => systemClock.sleep(isDead ? 3600_000 : Math.min(milliseconds, 20), signal),
    };
    const neighbours = await StoredNeighbours.join({ documents: this.#stores.documents, clock }, name, options);
    const world = new BrokerWorld({ neighbours });
    const stopping = new AbortController();
    const served = neighbours.serve(world.broker, stopping.signal, (_, cause) => this.failures.push(cause));
    // One that others took for dead ends before its test does.
    served.catch(() => {});
    const end = async () => {
      stopping.abort();
      await served.catch(() => {});
    };
    this.#ends.push(end);
    return { world, end, served, neighbours, die };
  }

  async stop(): Promise<void> {
    for (const end of this.#ends) await end();
    expect(this.failures).toEqual([]);
  }
}

const POLL = { interval: 20 };
const inventory = (data: object) => ({ type: `${PREFIX}inventory_request`, target: 'pcp:///server', data });

describeStores('brokers that share a store', (openStores) => {
  let site: Site | null = null;
  afterEach(() => site?.stop());

  async function startTwo() {
    site = new Site(await openStores());
    const [one, two] = [await site.start('one'), await site.start('two')];
    return { site, one, two };
  }

  it('deliver messages to each other, also large ones, in order', async () => {
    const { one, two } = await startTwo();
    const [sender, recipient] = [one.world.connect('web01.example.com'), two.world.connect('web02.example.com')];
    const data = ['first', 'x'.repeat(500_000), null];
    await expect.poll(() => askAll(one.world), POLL).toContain(recipient.uri);
    const sent = data.map((one) => ({ id: sender.write({ target: recipient.uri, data: one }), data: one }));
    await expect.poll(() => recipient.received.length, POLL).toBe(3);
    expect(recipient.take()).toMatchObject(sent.map((one) => ({ ...one, type: 'test', sender: sender.uri })));
    expect(sender.take()).toEqual([]);
  });

  it('say that nobody has a target, at once or when the client left meanwhile', async () => {
    const { one, two } = await startTwo();
    const [sender, recipient] = [one.world.connect('web01.example.com'), two.world.connect('web02.example.com')];
    const first = sender.write({ target: 'pcp://nobody/agent' });
    await expect.poll(() => askAll(one.world), POLL).toContain(recipient.uri);
    // Its broker does not have it any more, and others do not know that yet.
    two.world.broker.dropHere(recipient.uri);
    const second = sender.write({ target: recipient.uri });
    await expect.poll(() => sender.received.length, POLL).toBe(2);
    expect(sender.take()).toMatchObject([
      { data: 'Not connected.', inReplyTo: first },
      { data: 'Not connected.', inReplyTo: second },
    ]);
  });

  it('drop a client that connects to another of them', async () => {
    const { one, two } = await startTwo();
    const earlier = one.world.connect('web01.example.com');
    await expect.poll(() => askAll(two.world), POLL).toContain(earlier.uri);
    const later = two.world.connect('web01.example.com');
    await expect.poll(() => earlier.end, POLL).toBe('dropped');
    if (earlier.session) one.world.broker.disconnect(earlier.session);
    const sender = one.world.connect('web02.example.com');
    sender.write({ target: later.uri, data: 1 });
    await expect.poll(() => later.take(), POLL).toMatchObject([{ data: 1 }]);
    expect(later.end).toBeNull();
  });

  it('tell subscribers of changes at the others, of those after the answer only', async () => {
    const { one, two } = await startTwo();
    const subscriber = one.world.connect('ctl.example.com');
    two.world.now += 1;
    two.world.connect('web01.example.com');
    one.world.now += 2;
    two.world.now += 2;
    subscriber.write(inventory({ query: ['pcp://*/agent'], subscribe: true }));
    await expect.poll(() => subscriber.received.length, POLL).toBe(1);
    subscriber.take();
    const client = two.world.connect('web02.example.com');
    if (client.session) two.world.broker.disconnect(client.session);
    const changes = [1, -1].map((change) => ({ client: client.uri, change }));
    await expect
      .poll(async () => {
        await one.world.tick();
        return subscriber.take();
      }, POLL)
      .toMatchObject([{ type: `${PREFIX}inventory_update`, data: { changes } }]);
  });

  it('forget the clients of one that died, and send back what it did not read', async () => {
    const { site, one, two } = await startTwo();
    const [sender, recipient] = [one.world.connect('web01.example.com'), two.world.connect('web02.example.com')];
    await expect.poll(() => askAll(one.world), POLL).toContain(recipient.uri);
    await two.end();
    sender.write({ target: recipient.uri });
    await expect.poll(() => sender.take(), POLL).toMatchObject([{ data: 'Not connected.' }]);
    expect(await askAll(one.world)).toEqual(['pcp://ctl.example.com/viewer', sender.uri]);
    site.offset += 60_000;
    const three = await site.start('two');
    const again = three.world.connect('web02.example.com');
    await expect.poll(() => askAll(one.world), POLL).toContain(again.uri);
  });

  it('send back a mail of one that took a broker for alive after its end', async () => {
    const stores = await openStores();
    site = new Site(stores);
    const [one, two] = [await site.start('one'), await site.start('two')];
    const sender = one.world.connect('web01.example.com');
    await two.end();
    // By then the other has found it dead, several times.
    await systemClock.sleep(200);
    const message = {
      id: randomUUID(),
      type: 'test',
      sender: sender.uri,
      target: 'pcp://web02.example.com/agent',
      data: null,
      inReplyTo: null,
      isMulticast: false,
    };
    await new Mailboxes({ documents: stores.documents, clock: systemClock }, 'three').send('two', {
      kind: 'message',
      message,
    });
    await expect.poll(() => sender.take(), POLL).toMatchObject([{ data: 'Not connected.', inReplyTo: message.id }]);
  });

  it('send back the mail of one that died as soon as its lease has ended', async () => {
    const { site, one, two } = await startTwo();
    const [sender, recipient] = [one.world.connect('web01.example.com'), two.world.connect('web02.example.com')];
    await expect.poll(() => askAll(one.world), POLL).toContain(recipient.uri);
    // It reads no mail any more, and does not renew its lease.
    two.die();
    await systemClock.sleep(100);
    const id = sender.write({ target: recipient.uri });
    for (let step = 0; step < 2; step += 1) {
      await systemClock.sleep(100);
      expect(sender.take()).toEqual([]);
      site.offset += 8000;
    }
    await expect.poll(() => sender.take(), POLL).toMatchObject([{ data: 'Not connected.', inReplyTo: id }]);
  });

  it('move clients to one that has fewer, oldest first, and count the services among them', async () => {
    site = new Site(await openStores());
    const one = await site.start('one', { isBalanced: true });
    const clients = Array.from({ length: 200 }, (_, index) => one.world.connect(`web${index}.example.com`));
    await systemClock.sleep(100);
    one.world.now += 6000;
    if (clients[0]?.session) one.world.broker.noteActivity(clients[0].session);
    expect(clients.filter(({ end }) => end !== null)).toEqual([]);
    await site.start('two', { isBalanced: true });
    const service = await site.start('three', { isService: true });
    const moved = () => clients.flatMap(({ end }, index) => (end === null ? [] : [[index, end]]));
    await expect.poll(moved, POLL).toEqual([[1, '1001 Another broker has fewer clients.']]);
    await expect.poll(() => service.neighbours.countServices(), POLL).toBe(1);
    await site.start('four', { isService: true });
    await expect.poll(() => one.neighbours.countServices(), POLL).toBe(2);
  });

  it('find clients by name, wherever they are connected', async () => {
    const { one, two } = await startTwo();
    const [here, elsewhere] = [one.world.connect('web01.example.com'), two.world.connect('web02.example.com')];
    await expect.poll(() => askAll(one.world), POLL).toContain(elsewhere.uri);
    const asked = [elsewhere.uri, 'pcp://web03.example.com/agent', here.uri, here.uri];
    expect(await one.world.broker.findClients(asked)).toEqual([
      { uri: here.uri, since: one.world.now },
      { uri: elsewhere.uri, since: null },
    ]);
    await two.end();
    await expect.poll(() => one.world.broker.findClients(asked), POLL).toHaveLength(1);
  });

  it('forget nobody when all leases ended at once, because the store did not answer', async () => {
    const { site, one, two } = await startTwo();
    const client = two.world.connect('web02.example.com');
    await expect.poll(() => askAll(one.world), POLL).toContain(client.uri);
    // A lease may be renewed before the question is asked: then all leases end once more.
    const askAfterLeases = () => {
      site.offset += 60_000;
      return askAll(one.world);
    };
    await expect.poll(askAfterLeases, POLL).not.toContain(client.uri);
    await expect.poll(() => askAll(one.world), POLL).toContain(client.uri);
  });

  it('end when another process takes their name', async () => {
    const { site, one } = await startTwo();
    const ended = expect(one.served).rejects.toThrow(InstanceReplaced);
    await site.start('one');
    await ended;
  });
});

/** The inventory as a client of this broker gets it. */
async function askAll(world: BrokerWorld): Promise<unknown> {
  const viewer = world.connect('ctl.example.com', { type: 'viewer' });
  viewer.write(inventory({ query: ['pcp://*/agent', 'pcp://*/viewer'] }));
  await expect.poll(() => viewer.received.length, POLL).toBe(1);
  const [answer] = viewer.take();
  return Object(answer).data.uris;
}

it('looks into an empty mailbox more and more seldom, and often while mail comes', async () => {
  const documents = new MemoryDocuments();
  const clock = new ManualClock();
  const stopping = new AbortController();
  const reads: number[] = [];
  const mailboxes = new Mailboxes({ documents, clock }, 'two');
  // Only the pauses of the mailbox pass; the others last until the end.
  const sleep = async (pauseMs: number) => {
    if (pauseMs === 3000 || pauseMs === 100 || pauseMs === 30_000) await once(stopping.signal, 'abort');
    reads.push(pauseMs);
    clock.time += pauseMs;
    if (reads.length === 6) await mailboxes.send('one', { kind: 'drop', uri: 'pcp://nobody/agent', epoch: 1 });
    if (reads.length === 9) stopping.abort();
  };
  const timed: Clock = { now: () => clock.now(), random: () => 0.5, sleep };
  const pace = { busyMs: 20, idleMs: 250 };
  const neighbours = await StoredNeighbours.join({ documents, clock: timed }, 'one', { pace });
  const { broker } = new BrokerWorld({ neighbours });
  await neighbours.serve(broker, stopping.signal, (_, cause) => expect.fail(String(cause)));
  expect(reads.slice(0, 9)).toEqual([40, 80, 160, 250, 250, 250, 20, 40, 80]);
});
