import { describe, expect, it } from 'vitest';
import { BrokerWorld, PREFIX } from '../../../helpers/broker-world.ts';

const versions = [1, 2] as const;
const error = (description: string, inReplyTo: string | null) => ({
  type: `${PREFIX}error_message`,
  data: description,
  inReplyTo,
});

describe('connecting', () => {
  it.each([
    ['no certificate', null, 'agent', '4003 No client certificate.'],
    ['the type of the broker', 'web01.example.com', 'server', '4002 Association unsuccessful.'],
    ['a policy that refuses it', 'banned.example.com', 'agent', '4002 Association unsuccessful.'],
  ])('is refused to a client with %s', (_, certname, type, expected) => {
    const world = new BrokerWorld();
    const client = world.connect(certname, { type });
    expect([client.end, client.session, world.broker.connections]).toEqual([expected, null, 0]);
  });

  it('is refused beyond the limit of connections, until one leaves', () => {
    const world = new BrokerWorld({ maxConnections: 1 });
    const first = world.connect('web01.example.com');
    expect(world.connect('web02.example.com').end).toBe('1011 Connection limit exceeded.');
    if (first.session) world.broker.disconnect(first.session);
    expect(world.connect('web02.example.com').end).toBeNull();
  });

  it('is refused under a URI that another process has', () => {
    const world = new BrokerWorld({ reservedPrefix: 'pcp://ctl.example.com/orchestrator' });
    expect(world.connect('ctl.example.com', { type: 'orchestrator-2' }).end).toBe('4002 Association unsuccessful.');
    expect(world.connect('web01.example.com', { type: 'orchestrator-2' }).end).toBeNull();
  });

  it('drops the earlier connection of the URI, whose end then changes nothing', () => {
    const world = new BrokerWorld();
    const [first, other] = [world.connect('web01.example.com'), world.connect('web02.example.com')];
    const second = world.connect('web01.example.com');
    expect([first.end, second.end]).toEqual(['dropped', null]);
    if (first.session) world.broker.disconnect(first.session);
    other.write({ target: second.uri, data: 1 });
    first.write({ target: second.uri, data: 2 });
    expect(second.take()).toMatchObject([{ data: 1 }]);
  });

  it('is refused by a broker that stops, which closes what it has', async () => {
    const world = new BrokerWorld();
    const client = world.connect('web01.example.com');
    const stopped = world.broker.stop();
    expect(client.end).toBe('1001 Broker is stopping.');
    expect(world.connect('web02.example.com').end).toBe('1011 Broker is not running.');
    await stopped;
  });

  it('ends at a pace when the broker has time to stop; the others get their messages meanwhile', async () => {
    const world = new BrokerWorld();
    const clients = Array.from({ length: 12 }, (_, index) => world.connect(`web${index}.example.com`));
    const stopped = world.broker.stop(10_000);
    const [closed, open] = [clients.filter(({ end }) => end !== null), clients.filter(({ end }) => end === null)];
    expect([closed.length, open.length]).toEqual([5, 7]);
    const [sender, recipient] = open;
    sender?.write({ target: recipient?.uri ?? '', data: 1 });
    expect(recipient?.take()).toMatchObject([{ data: 1 }]);
    await stopped;
    expect(new Set(clients.map(({ end }) => end))).toEqual(new Set(['1001 Broker is stopping.']));
  });
});

describe('association requests', () => {
  it.each(versions)('are answered, also repeated ones, in version %i', (version) => {
    const client = new BrokerWorld().connect('web01.example.com', { version });
    for (let round = 0; round < 2; round += 1) {
      const id = client.write({ type: `${PREFIX}associate_request`, target: 'pcp:///server' });
      expect(client.take()).toMatchObject([
        {
          type: `${PREFIX}associate_response`,
          sender: 'pcp:///server',
          target: client.uri,
          inReplyTo: version === 1 ? null : id,
          data: { id, success: true },
        },
      ]);
    }
    expect(client.end).toBeNull();
  });

  it.each([
    ['pcp://web02.example.com/agent', 'Message not authenticated.'],
    ['pcp://web01.example.com/tool', 'Session already associated.'],
  ])('as %s end the connection: %s', (sender, reason) => {
    const client = new BrokerWorld().connect('web01.example.com');
    const id = client.write({ type: `${PREFIX}associate_request`, sender });
    expect(client.take()).toMatchObject([{ target: sender, data: { id, success: false, reason } }]);
    expect(client.end).toBe('4002 Association unsuccessful.');
  });
});

describe('messages', () => {
  it.each(versions.flatMap((from) => versions.map((to) => [from, to] as const)))(
    'go from version %i to version %i',
    (from, to) => {
      const world = new BrokerWorld();
      const sender = world.connect('web01.example.com', { version: from });
      const recipient = world.connect('web02.example.com', { version: to, type: 'tool' });
      const data = { list: [1, null, 'é✓'], none: false };
      const id = sender.write({ type: 'greeting', target: recipient.uri, data });
      expect(recipient.take()).toEqual([
        { id, type: 'greeting', sender: sender.uri, target: recipient.uri, inReplyTo: null, data },
      ]);
      expect(sender.take()).toEqual([]);
    },
  );

  it('may name another type of the own certname as sender', () => {
    const world = new BrokerWorld();
    const [sender, recipient] = [world.connect('web01.example.com'), world.connect('web02.example.com')];
    sender.write({ target: recipient.uri, sender: 'pcp://web01.example.com/other' });
    expect(recipient.take()).toMatchObject([{ sender: 'pcp://web01.example.com/other' }]);
  });

  it.each([
    ['nobody has the target', { target: 'pcp://nobody/agent' }, 'Not connected.'],
    ['the sender is another certname', { sender: 'pcp://ctl.example.com/agent' }, 'Message not authenticated.'],
    ['the type is for others', { type: `${PREFIX}rpc_blocking_request` }, 'Message not authorized.'],
    ['the type has other characters', { type: 'a b' }, 'Message not authorized.'],
    ['the target has other characters', { target: 'pcp://web02.example.com/agent\u0000' }, 'Message not authorized.'],
    ['there are several recipients', { target: 'pcp://*/agent' }, 'Multiple recipients no longer supported.'],
    [
      'also the sender is wrong, which is checked first',
      { target: 'pcp://*/agent', type: `${PREFIX}rpc_blocking_request`, sender: 'pcp://ctl.example.com/agent' },
      'Message not authenticated.',
    ],
    [
      'also the policy refuses it, which is checked before the recipients',
      { target: 'pcp://*/agent', type: `${PREFIX}rpc_blocking_request` },
      'Message not authorized.',
    ],
  ])('are refused when %s', (_, message, expected) => {
    for (const version of versions) {
      const world = new BrokerWorld();
      const [sender, other] = [world.connect('web01.example.com', { version }), world.connect('web02.example.com')];
      const id = sender.write({ target: other.uri, ...message });
      expect(sender.take()).toMatchObject([error(expected, id)]);
      expect([other.take(), sender.end]).toEqual([[], null]);
    }
  });

  it.each(versions)('that cannot be decoded are answered, and disturb nobody, in version %i', (version) => {
    const client = new BrokerWorld().connect('web01.example.com', { version });
    client.writeFrame(Buffer.from('{nope'), version === 1);
    client.writeFrame(Buffer.from('{nope'), version !== 1);
    const expected = error('Could not decode message', null);
    expect(client.take()).toMatchObject([expected, expected]);
    expect(client.end).toBeNull();
  });

  it('of an unknown type to the broker get no answer', () => {
    const world = new BrokerWorld();
    const client = world.connect('web01.example.com');
    client.write({ type: 'unknown', target: 'pcp:///server' });
    expect([client.take(), world.broker.counters.unhandled]).toEqual([[], 1]);
  });

  it('do not pile up before a client that does not read', () => {
    const world = new BrokerWorld();
    const [sender, recipient] = [world.connect('web01.example.com'), world.connect('web02.example.com')];
    recipient.bufferedAmount = 20_000_000;
    const id = sender.write({ target: recipient.uri });
    expect(sender.take()).toMatchObject([error('The recipient reads too slowly.', id)]);
    recipient.write({ target: 'pcp://nobody/agent' });
    expect([recipient.take(), recipient.end]).toEqual([[], 'dropped']);
  });
});

describe('the inventory', () => {
  const ask = (data: unknown) => ({ type: `${PREFIX}inventory_request`, target: 'pcp:///server', data });
  const invalid =
    "Invalid inventory request: its data must be a map with 'query', a list of PCP URIs, and optionally 'subscribe', a boolean.";

  it.each(versions)('answers a query, sorted, in version %i', (version) => {
    const world = new BrokerWorld();
    const [second, first] = [world.connect('web02.example.com'), world.connect('web01.example.com')];
    const client = world.connect('ctl.example.com', { version });
    const id = client.write(ask({ query: ['pcp://*/agent'] }));
    expect(client.take()).toMatchObject([
      {
        type: `${PREFIX}inventory_response`,
        target: client.uri,
        inReplyTo: id,
        data: { uris: [client.uri, first.uri, second.uri] },
      },
    ]);
  });

  it.each([undefined, {}, { query: ['nope'] }, { query: [], more: 1 }])('refuses the query %j', (data) => {
    const client = new BrokerWorld().connect('ctl.example.com');
    const id = client.write(ask(data));
    expect(client.take()).toMatchObject([error(invalid, id)]);
    expect(client.end).toBeNull();
  });

  it('tells subscribers of the changes that they asked for, once a second', async () => {
    const world = new BrokerWorld();
    const client = world.connect('ctl.example.com');
    client.write(ask({ query: ['pcp://*/tool'], subscribe: true }));
    client.take();
    const tool = world.connect('web01.example.com', { type: 'tool' });
    world.connect('web02.example.com');
    if (tool.session) world.broker.disconnect(tool.session);
    expect(client.take()).toEqual([]);
    await world.tick();
    const changes = [1, -1].map((change) => ({ client: tool.uri, change }));
    expect(client.take()).toMatchObject([{ type: `${PREFIX}inventory_update`, inReplyTo: null, data: { changes } }]);
    await world.tick();
    expect(client.take()).toEqual([]);
  });

  it('tells subscribers that a connection went when another one takes its place', async () => {
    const world = new BrokerWorld();
    const client = world.connect('ctl.example.com');
    const first = world.connect('web01.example.com');
    client.write(ask({ query: ['pcp://*/agent'], subscribe: true }));
    client.take();
    world.connect('web01.example.com');
    await world.tick();
    const changes = [-1, 1].map((change) => ({ client: first.uri, change }));
    expect(client.take()).toMatchObject([{ type: `${PREFIX}inventory_update`, data: { changes } }]);
  });

  it.each([{ query: [] }, { query: ['pcp://*/*'], subscribe: false }])(
    'ends a subscription with the request %j',
    async (data) => {
      const world = new BrokerWorld();
      const client = world.connect('ctl.example.com');
      client.write(ask({ query: ['pcp://*/*'], subscribe: true }));
      client.write(ask(data));
      client.take();
      world.connect('web01.example.com');
      await world.tick();
      expect(client.take()).toEqual([]);
    },
  );

  it('splits an update that is long', async () => {
    const world = new BrokerWorld();
    const client = world.connect('ctl.example.com');
    client.write(ask({ query: ['pcp://*/agent'], subscribe: true }));
    client.take();
    for (let number = 0; number < 4500; number += 1) world.connect(`node${number}.example.com`);
    await world.tick();
    const sizes = client.take().map((update) => ('data' in update ? Object(update.data).changes.length : 0));
    expect(sizes).toEqual([2000, 2000, 500]);
  });
});

describe('time', () => {
  it('closes a connection without a frame for so long', async () => {
    const world = new BrokerWorld({ idleTimeoutMs: 5000 });
    const [silent, alive] = [world.connect('web01.example.com'), world.connect('web02.example.com')];
    world.now += 4000;
    if (alive.session) world.broker.noteActivity(alive.session);
    world.now += 1001;
    await world.tick();
    expect([silent.end, alive.end]).toEqual(['1001 Idle Timeout', null]);
  });

  it('passes between the ends of connections that are all closed, but not before the first ones', async () => {
    const world = new BrokerWorld();
    const clients = ['1', '2', '3'].map((serial) => world.connect(`web0${serial}.example.com`, { serial }));
    const late = new AbortController();
    await world.broker.closeAll(
      [1012, 'CRL reloaded'],
      { atOnce: 1, pauseMs: 30 },
      late.signal,
      ({ serial }) => serial === '3',
    );
    expect(clients.map(({ end }) => end)).toEqual(Array(3).fill('1012 CRL reloaded'));
    expect(world.slept).toEqual([30, 30]);
  });
});
