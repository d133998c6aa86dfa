import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { x509 } from '../../shared/access/ca/x509.ts';

const SERVER = join(import.meta.dirname, '..', '..', 'functions', 'local.ts');
const CERTNAME = 'bench.example.com';
const REQUESTS = 2000;
const CONNECTIONS = 4;
/** Clock ticks per second in /proc/PID/stat. */
const TICKS = 100;

export interface ServingFigures {
  readonly catalogs: RequestFigures;
  /** The listing with which every agent syncs its plugins. */
  readonly plugins: RequestFigures;
  /** The same listing with a new query for each request, so that none was prepared. */
  readonly unpreparedPlugins: RequestFigures;
}

export interface RequestFigures {
  /**
   * Requests per second of the server's CPU time, all threads included; mutual TLS, connections
   * reused.
   */
  readonly perCpuSecond: number;
  /** Requests per second of wall time, over 4 connections, with the client on the same machine. */
  readonly perSecond: number;
  /** The size of the answer as sent, in bytes. */
  readonly bytes: number;
}

/** Plugins of the benchmark's repo: about as many as the modules of a large fleet contain. */
const PLUGINS = 1200;
const PLUGIN_PATH =
  '/puppet/v3/file_metadatas/plugins?recurse=true&max_files=-1&ignore=.svn&links=follow&checksum_type=sha256&source_permissions=ignore&environment=production';

/**
 * Starts `npm start` on the control repo (to which it adds plugins), and lets one node get its
 * catalog. Then it requests that catalog, and the listing of plugins, repeatedly.
 */
export async function benchServing(repo: string): Promise<ServingFigures> {
  writePlugins(repo);
  const data = mkdtempSync(join(tmpdir(), 'understudy-bench-data-'));
  const flags = ['--control-repo', repo, '--data', data, '--port', '0', '--workers', '1', '--autosign'];
  const server = spawn(process.execPath, [SERVER, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const port = await portOf(server);
    const client = await enrol(port);
    const form = new URLSearchParams({
      environment: 'production',
      facts_format: 'application/json',
      facts: encodeURIComponent(readFileSync(join(repo, 'facts.json'), 'utf8')),
    }).toString();
    await client.catalog(form);
    const pid = server.pid ?? 0;
    let asked = 0;
    return {
      catalogs: await measure(() => client.catalog(form), pid, REQUESTS),
      plugins: await measure(() => client.get(PLUGIN_PATH), pid, REQUESTS),
      unpreparedPlugins: await measure(
        () => {
          asked += 1;
          return client.get(`${PLUGIN_PATH}&ignore=${asked}`);
        },
        pid,
        REQUESTS / 20,
      ),
    };
  } finally {
    server.kill('SIGTERM');
    await once(server, 'exit');
    rmSync(data, { recursive: true, force: true });
  }
}

function writePlugins(repo: string): void {
  const lib = join(repo, 'environments/production/modules/plugins/lib/facter');
  mkdirSync(lib, { recursive: true });
  for (let index = 0; index < PLUGINS; index += 1) writeFileSync(join(lib, `fact_${index}.rb`), `# fact ${index}\n`);
}

async function measure(ask: () => Promise<Buffer>, pid: number, requests: number): Promise<RequestFigures> {
  const bytes = (await ask()).length;
  const cpuBefore = cpuSeconds(pid);
  const start = process.hrtime.bigint();
  let left = requests;
  const connection = async () => {
    for (; left > 0; left -= 1) await ask();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  return { perCpuSecond: requests / (cpuSeconds(pid) - cpuBefore), perSecond: requests / seconds, bytes };
}

function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

async function portOf(server: ChildProcess): Promise<number> {
  if (!server.stdout) throw new Error('the server has no output');
  for await (const line of createInterface({ input: server.stdout })) {
    const port = /https:\/\/localhost:(\d+)/.exec(line)?.[1];
    if (port) return Number(port);
  }
  throw new Error('the server ended before it listened');
}

/** Gets a certificate for the node from the server's CA. */
async function enrol(port: number) {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const name = `CN=${CERTNAME}`;
  const csr = await x509.Pkcs10CertificateRequestGenerator.create({ name, keys, signingAlgorithm: algorithm });
  const open = new Agent({ rejectUnauthorized: false });
  const ca = '/puppet-ca/v1';
  await call(port, open, 'PUT', `${ca}/certificate_request/${CERTNAME}`, csr.toString('pem'), 'text/plain');
  const cert = await call(port, open, 'GET', `${ca}/certificate/${CERTNAME}`);
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  const key = `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`;
  const agent = new Agent({ cert, key, rejectUnauthorized: false, keepAlive: true, maxSockets: CONNECTIONS });
  const path = `/puppet/v3/catalog/${CERTNAME}?environment=production`;
  return {
    catalog: (form: string) => call(port, agent, 'POST', path, form, 'application/x-www-form-urlencoded'),
    get: (url: string) => call(port, agent, 'GET', url),
  };
}

async function call(
  port: number,
  agent: Agent,
  method: string,
  path: string,
  body = '',
  type = 'text/plain',
): Promise<Buffer> {
  const headers = {
    Accept: 'application/vnd.puppet.rich+json, application/json',
    'Accept-Encoding': 'gzip',
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
  };
  const outgoing = request({ host: 'localhost', port, path, method, agent, headers });
  outgoing.end(body);
  const [response] = await once(outgoing, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const answer = Buffer.concat(chunks);
  if (response.statusCode !== 200) throw new Error(`${method} ${path}: ${response.statusCode} ${answer}`);
  return answer;
}
