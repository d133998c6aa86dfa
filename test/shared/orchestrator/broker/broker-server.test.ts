import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { connect, type Socket } from 'node:net';
import { json, text } from 'node:stream/consumers';
import { connect as connectTls, type DetailedPeerCertificate } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { Authorization } from '../../../../shared/access/authorization/authorization.ts';
import { CertificateAuthority } from '../../../../shared/access/ca/authority.ts';
import {
  type BrokerServer,
  type BrokerServerOptions,
  startBrokerServer,
} from '../../../../shared/orchestrator/broker/broker-server.ts';
import { MessagePolicy } from '../../../../shared/orchestrator/broker/message-policy.ts';
import { systemClock } from '../../../../shared/store/system-clock.ts';
import { POLICY } from '../../../helpers/broker-world.ts';
import { MemoryDocuments } from '../../../helpers/memory-stores.ts';

const ID = '6c1a52f8-3a8f-4a62-9d55-0e5b0b8f3f11';
let authority: CertificateAuthority;
let stranger: CertificateAuthority;
let server: BrokerServer;

const open = (name: string) =>
  CertificateAuthority.open(new MemoryDocuments(), systemClock, { name, autosign: true, keyType: 'ec' });

async function start(options: Partial<BrokerServerOptions> = {}): Promise<BrokerServer> {
  return startBrokerServer({
    host: '127.0.0.1',
    port: 0,
    credentials: {
      ...(await authority.serverCredentials('localhost', ['127.0.0.1'])),
      trusted: authority.certificatePem,
    },
    readRevocations: async () => (await authority.revocationLists()).pem,
    policy: new MessagePolicy(Authorization.read(POLICY, 'policy')),
    clock: systemClock,
    reportFailure: () => {},
    ...options,
  });
}

async function issue(certname: string, by = authority): Promise<{ readonly cert: string; readonly key: string }> {
  const { certificate: cert, key } = await by.generate(certname, [], false);
  return { cert, key };
}

const trust = () => ({ ca: authority.certificatePem });

function dial(path: string, credentials: object = {}, port = server.port): WebSocket {
  const socket = new WebSocket(`wss://localhost:${port}${path}`, {
    ...trust(),
    perMessageDeflate: false,
    ...credentials,
  });
  socket.on('error', () => {});
  return socket;
}

function endOf(socket: WebSocket): Promise<string> {
  return new Promise((resolve) => socket.once('close', (code, reason) => resolve(`${code} ${reason}`.trim())));
}

beforeAll(async () => {
  [authority, stranger] = await Promise.all([open('ours'), open('other')]);
  server = await start({ limits: { maxMessageBytes: 100_000 } });
});
afterAll(() => server.stop());

describe('a client', () => {
  it('without a certificate is told so', async () => {
    expect(await endOf(dial('/pcp2/agent'))).toBe('4003 No client certificate.');
  });

  it('gets the chain without its root', async () => {
    const socket = connectTls({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const names: string[] = [];
    const note = (one: DetailedPeerCertificate | undefined): void => {
      if (one === undefined) return;
      names.push(String(one.subject.CN));
      note(one.issuerCertificate);
    };
    note(socket.getPeerCertificate(true));
    expect(names).toEqual(['localhost', 'Puppet CA: ours']);
    socket.destroy();
  });

  it('beyond the most connections is refused before TLS, until another one has ended', async () => {
    const bounded = await start({ mostSockets: 2 });
    const open = () => connect({ host: '127.0.0.1', port: bounded.port });
    const isOpen = async (socket: Socket) => {
      socket.resume();
      const ended = once(socket, 'close').then(() => false);
      return Promise.race([ended, systemClock.sleep(300).then(() => true)]);
    };
    const [first, second, third] = [open(), open(), open()];
    for (const socket of [first, second, third]) socket.on('error', () => {});
    expect(await Promise.all([isOpen(first), isOpen(second), isOpen(third)])).toEqual([true, true, false]);
    first.destroy();
    await expect.poll(() => isOpen(open().on('error', () => {}))).toBe(true);
    second.destroy();
    await bounded.stop();
  });

  it('with a certificate of another CA gets no answer', async () => {
    expect(await endOf(dial('/pcp2/agent', await issue('web01.example.com', stranger)))).toBe('1006');
  });

  it.each([
    ['/pcp', 'agent'],
    ['/pcp/', 'agent'],
    ['/pcp2/', 'agent'],
    ['/pcp2/tool?x=1', 'tool'],
    ['/pcp2/A%20b', 'A%20b'],
  ])('of %s has the type %s', async (path, type) => {
    const socket = dial(path, await issue(`web-${Math.floor(systemClock.random() * 1e9)}.example.com`));
    await once(socket, 'open');
    const isBinary = !path.startsWith('/pcp2');
    // Its URI shows in the inventory of a client that may ask for it.
    const controller = dial('/pcp2/viewer', await issueOnce('ctl.example.com'));
    await once(controller, 'open');
    controller.send(
      JSON.stringify({
        id: ID,
        message_type: 'http://puppetlabs.com/inventory_request',
        data: { query: ['pcp://*/*'] },
      }),
    );
    const [answer] = await once(controller, 'message');
    const { uris } = JSON.parse(String(answer)).data;
    expect(uris.filter((uri: string) => uri.startsWith('pcp://web-'))).toEqual([expect.stringMatching(`/${type}$`)]);
    expect(isBinary).toBe(path.startsWith('/pcp') && !path.startsWith('/pcp2'));
    socket.terminate();
    controller.terminate();
    await expect.poll(() => server.broker.connections).toBe(0);
  });

  it.each([
    ['/nope', {}],
    ['/pcp3/agent', {}],
    ['/pcp2x', {}],
  ])('of %s finds nothing', async (path, more) => {
    const socket = dial(path, { ...(await issueOnce('web01.example.com')), ...more });
    const [, response] = await once(socket, 'unexpected-response');
    expect(response.statusCode).toBe(404);
    socket.terminate();
  });

  it('gets no protocol of those that it offers', async () => {
    const options = { ...trust(), ...(await issueOnce('web01.example.com')) };
    const socket = new WebSocket(`wss://localhost:${server.port}/pcp2/agent`, ['pcp'], options);
    const [error] = await once(socket, 'error');
    expect(String(error)).toBe('Error: Server sent no subprotocol');
  });

  it('that sends too much is closed, and one that sends as much as it may is not', async () => {
    const socket = dial('/pcp2/agent', await issueOnce('web01.example.com'));
    await once(socket, 'open');
    const fill = (length: number) => {
      const message = JSON.stringify({ id: ID, message_type: 'x', data: '' });
      return message.replace('""', `"${'y'.repeat(length - message.length)}"`);
    };
    socket.send(fill(100_000));
    socket.ping('here');
    expect(String((await once(socket, 'pong'))[0])).toBe('here');
    socket.send(fill(100_001));
    expect(await endOf(socket)).toBe('1009');
  });

  it('with the longest incomplete message is closed when all of them take too much', async () => {
    const own = await start({ limits: { maxMessageBytes: 400_000, mostIncompleteBytes: 600_000 } });
    const names = ['web01.example.com', 'web02.example.com', 'web03.example.com'];
    const open = async (name: string) => {
      const client = dial('/pcp2/agent', await issueOnce(name), own.port);
      await once(client, 'open');
      return client;
    };
    const [first, second, third] = (await Promise.all(names.map(open))) as [WebSocket, WebSocket, WebSocket];
    const ended = endOf(first);
    const send = async (socket: WebSocket, bytes: number) => {
      socket.send('x'.repeat(bytes), { fin: false });
      socket.ping('here');
      if (socket !== first) await once(socket, 'pong');
    };
    await send(first, 300_000);
    await send(second, 200_000);
    await send(third, 150_000);
    expect(await ended).toBe('1013 Too many incomplete messages.');
    second.send('y', { fin: true });
    const [answer] = await once(second, 'message');
    expect(JSON.parse(String(answer)).data).toBe('Could not decode message');
    await own.stop();
  });

  it('may send any number of whole messages, pings and fragments, which are not incomplete', async () => {
    const own = await start({ limits: { maxMessageBytes: 20_000, mostIncompleteBytes: 20_000 } });
    const client = dial('/pcp2/agent', await issueOnce('web01.example.com'), own.port);
    await once(client, 'open');
    for (let round = 0; round < 50; round += 1) {
      client.ping('x'.repeat(100));
      client.send('x'.repeat(1500), { fin: false });
      client.ping();
      client.send('y'.repeat(500), { fin: true });
      await once(client, 'message');
    }
    expect(client.readyState).toBe(WebSocket.OPEN);
    await own.stop();
  });

  it('may speak TLS 1.2, and nothing older', async () => {
    const options = { port: server.port, host: 'localhost', ...trust(), ...(await issueOnce('web01.example.com')) };
    const socket = connectTls({ ...options, minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' });
    await once(socket, 'secureConnect');
    expect(socket.getProtocol()).toBe('TLSv1.2');
    socket.destroy();
    const old = connectTls({ ...options, minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' });
    await expect(once(old, 'secureConnect')).rejects.toThrow(/protocol version/);
  });
});

describe('beside the broker', () => {
  const get = async (path: string, method = 'GET') => {
    const asked = request({ port: server.port, method, path, host: 'localhost', agent: new Agent(trust()) }).end();
    const [response] = await once(asked, 'response');
    return response;
  };

  it.each([
    ['/status/v1/simple', 200, 'running'],
    ['/status/v1/simple/broker-service', 200, 'running'],
    ['/status/v1/simple/other', 404, 'not found: unknown service'],
    ['/pcp2/agent', 404, 'Not Found'],
    ['/', 404, 'Not Found'],
  ])('GET %s has status %i', async (path, status, body) => {
    const response = await get(path);
    expect([response.statusCode, await text(response)]).toEqual([status, body]);
  });

  it.each(['critical', 'info', 'debug'])('its status has the level %s', async (level) => {
    const answer = await json(await get(`/status/v1/services/broker-service?level=${level}`));
    expect(answer).toMatchObject({
      service_status_version: 1,
      detail_level: level,
      state: 'running',
      status: level === 'critical' ? {} : { metrics: { 'puppetlabs.pcp.connections': 0 } },
      active_alerts: [],
    });
    expect(await json(await get(`/status/v1/services?level=${level}`))).toHaveProperty('broker-service');
  });

  it('no other method has an answer', async () => {
    expect((await get('/status/v1/simple', 'POST')).statusCode).toBe(404);
  });
});

describe('too many connections at once', () => {
  it('are closed before TLS, and disturb nobody who is connected', async () => {
    const own = await start({ acceptRate: { perSecond: 0.001, burst: 1 } });
    const client = dial('/pcp2/agent', await issueOnce('web01.example.com'), own.port);
    await once(client, 'open');
    // A few may begin, and one may wait.
    const late = Array.from({ length: 8 }, () => connect({ port: own.port, host: '127.0.0.1' }));
    for (const socket of late) socket.on('error', () => {}).resume();
    await Promise.race(late.map((socket) => once(socket, 'close')));
    expect(own.broker.counters.shedConnections).toBeGreaterThan(0);
    client.ping('here');
    expect(String((await once(client, 'pong'))[0])).toBe('here');
    const ended = endOf(client);
    await own.stop();
    expect(await ended).toBe('1001 Broker is stopping.');
    for (const socket of late) socket.destroy();
  });
});

describe('changed revocation lists', () => {
  it('that cannot be read leave those of before in force', async () => {
    let lists: string | null = null;
    const failures: string[] = [];
    const own = await start({ readRevocations: async () => lists, reportFailure: (message) => failures.push(message) });
    const client = dial('/pcp2/agent', await issueOnce('web01.example.com'), own.port);
    await once(client, 'open');
    lists = '-----BEGIN X509 CRL-----\nnope\n-----END X509 CRL-----\n';
    await expect.poll(() => failures).toContain('The revocation lists cannot be used; those of before stay in force');
    expect(client.readyState).toBe(WebSocket.OPEN);
    await own.stop();
  });
});

const issued = new Map<string, ReturnType<typeof issue>>();
function issueOnce(certname: string): ReturnType<typeof issue> {
  const known = issued.get(certname) ?? issue(certname);
  issued.set(certname, known);
  return known;
}
