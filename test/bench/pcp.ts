import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ClientsOrder } from './pcp-clients.ts';
import type { ServerFigures, ServerStart } from './pcp-server.ts';
import { type Row, row } from './table.ts';

/** Clients in one process: their own handshakes and frames take its CPU. */
const CLIENTS_IN_ONE_PROCESS = 1000;
const MESSAGES = 50_000;
const FIRST_MESSAGES = 5000;

export interface PcpBench {
  readonly connections: number;
  /** Of the keys of the CA and of clients. */
  readonly keyBits: number;
}

/**
 * Measures a broker in a process of its own with so many connections of each kind: mutual TLS (RSA
 * keys of `keyBits` for CA and clients, P-256 for the broker, TLS 1.2 as real agents), and without
 * TLS. The CA has two levels, and clients send both of its certificates, as OpenSSL's do.
 */
export async function pcpRows(options: PcpBench, ...kinds: readonly ('tls' | 'plain')[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const kind of kinds) rows.push(...(await measure(kind, options)));
  return rows;
}

async function measure(kind: 'tls' | 'plain', { connections, keyBits }: PcpBench): Promise<Row[]> {
  const server = child('pcp-server.ts', kind, String(keyBits));
  const start = await next<ServerStart>(server);
  const clients = Array.from({ length: Math.ceil(connections / CLIENTS_IN_ONE_PROCESS) }, () =>
    child('pcp-clients.ts'),
  );
  try {
    await order([clients[0]], { kind: 'connect', server: start, first: 0, count: 50 });
    const empty = await figures(server);
    const share = Math.ceil(connections / clients.length);
    const connecting = clients.map((one, index) =>
      order([one], { kind: 'connect', server: start, first: 1000 + index * share, count: share }),
    );
    await Promise.all(connecting);
    const full = await figures(server);
    const added = share * clients.length;
    const [pings = 0] = (await order(clients, { kind: 'ping' })).sort((a, b) => b - a);
    const perSecond = await routed(server, clients[0]);
    const what = `PCP ${kind === 'tls' ? `with mutual TLS, RSA-${keyBits}` : 'without TLS'}, ${added} connections`;
    return [
      row(`${what}: memory of one`, 'kB', (full.rss - empty.rss) / added / 1000, null, 'worse'),
      row(`${what}: CPU of connecting one`, 'ms', (1000 * (full.cpuSeconds - empty.cpuSeconds)) / added, null, 'worse'),
      row(`${what}: ping of all, until the last pong`, 'ms', pings, null, 'worse'),
      row(`${what}: routed messages`, '/CPU s', perSecond, null, 'better'),
    ];
  } finally {
    for (const one of [server, ...clients]) one.disconnect();
  }
}

/** Messages for each second of the server's CPU. */
async function routed(server: ChildProcess, clients: ChildProcess | undefined): Promise<number> {
  await order([clients], { kind: 'route', messages: FIRST_MESSAGES });
  const before = await figures(server);
  await order([clients], { kind: 'route', messages: MESSAGES });
  const after = await figures(server);
  return MESSAGES / (after.cpuSeconds - before.cpuSeconds);
}

/** With the flags and variables of `understudy broker` (functions/understudy). */
function child(file: string, ...args: readonly string[]): ChildProcess {
  return fork(join(import.meta.dirname, file), args, {
    execArgv: ['--expose-gc', '--max-semi-space-size=4'],
    env: {
      ...process.env,
      MALLOC_MMAP_THRESHOLD_: '32768',
      MALLOC_TRIM_THRESHOLD_: '65536',
      MALLOC_TOP_PAD_: '4096',
    },
  });
}

async function next<T>(process: ChildProcess): Promise<T> {
  const [message] = await once(process, 'message');
  return message;
}

async function figures(server: ChildProcess): Promise<ServerFigures> {
  server.send({});
  return next(server);
}

function order(clients: readonly (ChildProcess | undefined)[], what: ClientsOrder): Promise<number[]> {
  return Promise.all(
    clients.map(async (one) => {
      if (one === undefined) throw new Error('there are no clients');
      one.send(what);
      return next<number>(one);
    }),
  );
}
