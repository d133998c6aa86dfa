import { Agent, request } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { factsOf, type HerdCatalog } from './herd-code.ts';

/** A node with the client certificate that the CA generated. */
export interface HerdNode {
  readonly certname: string;
  readonly index: number;
  readonly certificate: string;
  readonly key: string;
}

export interface HerdAnswer {
  /** 0 when the connection failed. */
  readonly status: number;
  readonly tookMs: number;
  readonly catalog: HerdCatalog | null;
}

const ANSWER_MS = 300_000;

/** Requests the node's catalog over a connection of its own, as an agent does. */
export async function requestCatalog({ certname, index, certificate, key }: HerdNode, port: number) {
  const facts = JSON.stringify({ name: certname, values: factsOf(index) });
  const body = `environment=production&facts_format=application%2Fjson&facts=${encodeURIComponent(encodeURIComponent(facts))}`;
  const agent = new Agent({ cert: certificate, key, rejectUnauthorized: false });
  const began = performance.now();
  const headers = {
    Accept: 'application/vnd.puppet.rich+json',
    'Accept-Encoding': 'gzip',
    'Content-Type': 'application/x-www-form-urlencoded',
  };
  const path = `/puppet/v3/catalog/${certname}?environment=production`;
  try {
    const { status, bytes, isGzip } = await send({ agent, port, method: 'POST', path, headers }, body);
    const tookMs = performance.now() - began;
    return { status, tookMs, catalog: status === 200 ? parse(isGzip ? gunzipSync(bytes) : bytes) : null };
  } catch {
    return { status: 0, tookMs: performance.now() - began, catalog: null };
  } finally {
    agent.destroy();
  }
}

/** The server's metrics by name, without labels. */
export async function readMetrics({ certificate, key }: HerdNode, port: number): Promise<ReadonlyMap<string, number>> {
  const agent = new Agent({ cert: certificate, key, rejectUnauthorized: false });
  const { bytes } = await send({ agent, port, method: 'GET', path: '/metrics', headers: {} }, '');
  agent.destroy();
  const lines = bytes.toString('utf8').split('\n');
  return new Map(lines.flatMap((line) => (/^\w+ /.test(line) ? [toMetric(line)] : [])));
}

function toMetric(line: string): readonly [string, number] {
  const [name = '', value = ''] = line.split(' ');
  return [name, Number(value)];
}

interface Sent {
  readonly agent: Agent;
  readonly port: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

function send(sent: Sent, body: string): Promise<{ status: number; bytes: Buffer; isGzip: boolean }> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ ...sent, host: '127.0.0.1', signal: AbortSignal.timeout(ANSWER_MS) }, (response) => {
      const isGzip = response.headers['content-encoding'] === 'gzip';
      buffer(response).then((bytes) => resolve({ status: response.statusCode ?? 0, bytes, isGzip }), reject);
    });
    outgoing.once('error', reject).end(body);
  });
}

function parse(bytes: Buffer): HerdCatalog {
  return JSON.parse(bytes.toString('utf8'));
}
