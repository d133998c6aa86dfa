/**
 * `npm run cost:cpu [-- RUNS]`: the CPU of the edge for one run of an agent in which nothing
 * changed: five requests over three new connections with mutual TLS, as agents close theirs after
 * four quiet seconds, to the bundle that the container runs. The stores are emulators in this
 * process, whose CPU does not count. It prints the seconds of a run, and the bytes of the answers
 * as sent.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeRequest } from '../helpers/certificate-request.ts';
import { deployFolder } from '../helpers/deploy-folder.ts';
import { DeployedStack } from '../helpers/lambda/deployed-stack.ts';
import type { EdgeProcess } from '../helpers/lambda/edge-process.ts';
import { OperatorPorts } from '../helpers/lambda/operator-ports.ts';

const CERTNAME = 'cpu.example.com';
const RUNS = Number(process.argv[2] ?? 300);
const WARM_UP = 50;
const CLASSES = 77;
const FACTS = 250;
/** As many as the modules of a large fleet have. */
const PLUGINS = 1200;
/** Clock ticks a second in /proc/PID/stat. */
const TICKS = 100;
const ENVIRONMENT = 'environment=production';
const LISTING = 'recurse=true&links=follow&checksum_type=sha256&source_permissions=ignore';
const FORM = 'application/x-www-form-urlencoded';

interface Identity {
  readonly cert: string;
  readonly key: string;
}

/** Three resources a class, plus those of the agent: 234. */
function writeRepo(folder: string): void {
  const write = (file: string, text: string) => {
    const path = join(folder, 'environments/production', file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  const names = Array.from({ length: CLASSES }, (_, index) => `part${index}`);
  write('manifests/site.pp', `include ${names.join(', ')}\n`);
  for (const name of names) {
    const files = [0, 1].map(
      (index) => `file { "/etc/${name}.${index}": content => '${createText(`${name}.${index}`)}' }`,
    );
    write(`modules/${name}/manifests/init.pp`, `class ${name} {\n${files.join('\n')}\nservice { '${name}': }\n}\n`);
  }
  for (let index = 0; index < PLUGINS; index += 1) write(`modules/part0/lib/facter/fact${index}.rb`, `# ${index}\n`);
}

/** Text that does not compress well, always the same. */
function createText(seed: string): string {
  return createHash('sha512').update(seed).digest('base64').repeat(2);
}

async function enrol(edge: EdgeProcess, authority: EdgeProcess): Promise<Identity> {
  const { request: csr, key } = await makeRequest(CERTNAME, { rsaBits: 4096 });
  const path = `/puppet-ca/v1/certificate_request/${CERTNAME}`;
  const sent = await edge.ask(path, { method: 'PUT', headers: { 'Content-Type': 'text/plain' }, body: csr });
  if (sent.status !== 200) throw new Error(`the request: ${sent.status} ${sent.text}`);
  const { status, text } = await authority.ask(`/puppet-ca/v1/certificate/${CERTNAME}`);
  if (status !== 200) throw new Error(`the certificate: ${status} ${text}`);
  return { cert: text, key };
}

/** One run. Returns the bytes of the answers. */
async function run(port: number, identity: Identity): Promise<number> {
  const facts = Array.from({ length: FACTS }, (_, index) => [`fact${index}`, 'a value of a fact'.repeat(3)]);
  const values = JSON.stringify({ name: CERTNAME, values: Object.fromEntries(facts) });
  const form = new URLSearchParams({ environment: 'production', facts_format: 'application/json', facts: values });
  const report = { host: CERTNAME, status: 'unchanged', noop: false, metrics: {}, logs: [], resource_statuses: {} };
  const body = JSON.stringify(report);
  const listings = await connect(identity, async (agent) => {
    let bytes = 0;
    for (const mount of ['pluginfacts', 'plugins', 'locales']) {
      bytes += await ask(agent, port, 'GET', `file_metadatas/${mount}?${ENVIRONMENT}&${LISTING}`);
    }
    return bytes;
  });
  const catalog = await connect(identity, (agent) =>
    ask(agent, port, 'POST', `catalog/${CERTNAME}?${ENVIRONMENT}`, form.toString(), FORM),
  );
  const answer = await connect(identity, (agent) =>
    ask(agent, port, 'PUT', `report/${CERTNAME}?${ENVIRONMENT}`, body, 'application/json'),
  );
  return listings + catalog + answer;
}

/** Does `work` over one new connection. */
async function connect(identity: Identity, work: (agent: Agent) => Promise<number>): Promise<number> {
  const agent = new Agent({ ...identity, rejectUnauthorized: false, keepAlive: true, maxSockets: 1 });
  try {
    return await work(agent);
  } finally {
    agent.destroy();
  }
}

function ask(
  agent: Agent,
  port: number,
  method: string,
  path: string,
  body?: string,
  type = 'text/plain',
): Promise<number> {
  const headers = {
    Accept: 'application/vnd.puppet.rich+json, application/json',
    'Accept-Encoding': 'gzip;q=1.0,deflate;q=0.6,identity;q=0.3',
    ...(body === undefined ? {} : { 'Content-Type': type }),
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { agent, host: '127.0.0.1', port, method, path: `/puppet/v3/${path}`, headers },
      (answer) => {
        let bytes = 0;
        answer.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
        answer.once('error', reject);
        answer.once('end', () =>
          answer.statusCode === 200 ? resolve(bytes) : reject(new Error(`${method} ${path}: ${answer.statusCode}`)),
        );
      },
    );
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

function readCpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

const folder = mkdtempSync(join(tmpdir(), 'understudy-cpu-'));
const stack = await DeployedStack.deploy();
try {
  writeRepo(folder);
  const { edge, authority } = await stack.startContainers((await OperatorPorts.find()).variables);
  stack.startQueues();
  await deployFolder(stack.stores, folder, 'production', 'cpu');
  const identity = await enrol(edge, authority);
  for (let index = 0; index < WARM_UP; index += 1) await run(edge.port, identity);
  const before = readCpuSeconds(edge.pid);
  let bytes = 0;
  for (let index = 0; index < RUNS; index += 1) bytes += await run(edge.port, identity);
  const seconds = readCpuSeconds(edge.pid) - before;
  console.log(`${RUNS} runs: ${(seconds / RUNS).toFixed(4)} s of CPU and ${Math.round(bytes / RUNS)} bytes a run`);
} finally {
  await stack.remove();
  rmSync(folder, { recursive: true });
}
