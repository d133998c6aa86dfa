/** The steps of a rehearsal, the same for AWS and for the emulators. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { dirname, join } from 'node:path';
import { PuppetAgent } from '../e2e/puppet-agent.ts';
import { PxpAgent } from '../helpers/pxp-agent.ts';
import { understudy, waitFor } from './commands.ts';
import type { Kit, Step } from './rehearsal.ts';
import type { Door, DoorName, Identity } from './site.ts';

/** Two nodes: the former exports what the latter collects. */
export const NODES = ['a.example.com', 'b.example.com'] as const;
const [A, B] = NODES;
const PASSWORD = 'correct horse battery\n';
/** Native code leaves `garbage_collect` to Ruby. */
const CODE = {
  'manifests/site.pp': `
    notify { "tier \${facts['tier']}": }
    notify { template('rehearsal/ruby.erb'): }
    @@notify { "endpoint \${trusted['certname']}:\${facts['web_port']}": tag => 'rehearsal' }
    if $trusted['certname'] == '${B}' { Notify <<| tag == 'rehearsal' |>> }
  `,
  'modules/rehearsal/manifests/init.pp': 'class rehearsal { }\n',
  'modules/rehearsal/templates/ruby.erb': `<% ObjectSpace.garbage_collect %><%= 'ybur'.reverse %>`,
};

/** The rehearsal, in order. */
export const STEPS: readonly Step[] = [
  { name: 'deploy', run: ({ site }) => site.deploy() },
  { name: 'doors', run: waitForDoors },
  { name: 'code', run: deployCode },
  {
    name: 'agent and Ruby',
    run: (kit) => runUntil(kit, A, { tier: 'silver' }, ['Notice: tier silver', 'Notice: ruby']),
  },
  { name: 'changed fact', run: (kit) => runUntil(kit, A, { tier: 'gold' }, ['Notice: tier gold']) },
  { name: 'export', run: collectExports },
  { name: 'probe', run: ({ site, folder }) => site.runProbe(identityOf(folder, B)) },
  { name: 'first user', run: createUser },
  { name: 'job over PCP', run: runJob },
  { name: 'console', run: logIntoConsole },
  { name: 'killed task', run: killTask },
  { name: 'restored backup', run: restoreBackup },
];

async function waitForDoors({ site, folder }: Kit): Promise<void> {
  for (const name of ['edge', 'authority'] as const) {
    const status = async () => (await ask(site.door(name), '/status/v1/simple', { trusted: null })).text;
    await waitFor(`the ${name}`, async () => (await status().catch(String)) === 'running');
  }
  // Public; from here on, connections are verified by it.
  const { text } = await ask(site.door('edge'), '/puppet-ca/v1/certificate/ca', { trusted: null });
  if (!text.startsWith('-----BEGIN CERTIFICATE-----')) throw new Error(`no certificate of the CA: ${text}`);
  writeFileSync(caFile(folder), text);
}

async function deployCode(kit: Kit): Promise<void> {
  const { site, folder } = kit;
  const source = join(folder, 'code');
  for (const [path, text] of Object.entries(CODE)) {
    mkdirSync(dirname(join(source, path)), { recursive: true });
    writeFileSync(join(source, path), text);
  }
  const archive = join(folder, 'code.tar.gz');
  execFileSync('tar', ['-czf', archive, '-C', source, '.']);
  const token = (await understudy(await site.variables(), 'code', 'token', 'create', '--by', 'rehearsal')).trim();
  const headers = { 'X-Authentication': token };
  const upload = { method: 'PUT', headers, body: readFileSync(archive) };
  const staged = await askDoor(kit, 'authority', '/understudy/v1/code/production', upload);
  if (staged.status !== 200) throw new Error(`the upload was answered ${staged.status}: ${staged.text}`);
  const deployed = await askDoor(kit, 'authority', '/code-manager/v1/deploys', {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ environments: ['production'], wait: true }),
  });
  if (!deployed.text.includes('"complete"')) throw new Error(`the deploy was answered ${deployed.text}`);
}

async function collectExports(kit: Kit): Promise<void> {
  await runUntil(kit, B, { tier: 'silver' }, [`Notice: endpoint ${A}:8080`]);
  await runUntil(kit, A, { tier: 'gold', web_port: '9090' }, ['Notice: tier gold']);
  // The change goes through the stream of the exports, with a delay.
  await runUntil(kit, B, { tier: 'silver' }, [`Notice: endpoint ${A}:9090`]);
}

async function createUser({ site, folder }: Kit): Promise<void> {
  const password = join(folder, 'password');
  writeFileSync(password, PASSWORD, { mode: 0o600 });
  const variables = await site.variables();
  await understudy(variables, 'access', 'user', 'create', 'alice', '--password-file', password);
  const { host, port } = site.door('access');
  const url = `https://${host}:${port}/rbac-api`;
  const where = ['--service-url', url, '--ca-cert', caFile(folder), '--token-file', tokenFile(folder)];
  await understudy({}, 'access', 'login', 'alice', '--password-file', password, ...where);
}

async function runJob({ site, folder }: Kit): Promise<void> {
  const { certificate, key } = identityOf(folder, A);
  const broker = site.door('broker');
  const trusted = readFileSync(caFile(folder), 'utf8');
  const agent = await PxpAgent.open(broker.port, { certificate, key, trusted }, broker.host);
  const results = {
    status: 'unchanged',
    transaction_uuid: crypto.randomUUID(),
    environment: 'production',
    exitcode: 0,
  };
  agent.results['pxp-module-puppet run'] = () => results;
  const { host, port } = site.door('orchestrator');
  const where = ['--service-url', `https://${host}:${port}`, '--ca-cert', caFile(folder)];
  try {
    await waitFor('the job', async () => {
      const job = ['job', 'run', '--nodes', A, ...where, '--token-file', tokenFile(folder)];
      // Another container may not see the connection yet.
      return (await understudy({}, ...job).catch(String)).includes(`Finished node ${A} - SUCCESS!`);
    });
  } finally {
    agent.close();
  }
}

async function logIntoConsole(kit: Kit): Promise<void> {
  const page = await askDoor(kit, 'console', '/console/nodes');
  if (!/^<!doctype html>/i.test(page.text)) throw new Error(`the console was answered ${page.status}: ${page.text}`);
  const session = await askDoor(kit, 'console', '/console/session', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Understudy-Console': '1' },
    body: JSON.stringify({ login: 'alice', password: PASSWORD.trim() }),
  });
  const Cookie = session.cookies[0]?.split(';')[0] ?? '';
  // The first question begins the view of the fleet.
  await waitFor('the nodes in the console', async () => {
    const { text } = await askDoor(kit, 'console', '/understudy/v1/nodes', { headers: { Cookie } });
    return NODES.every((name) => text.includes(name));
  });
}

async function killTask(kit: Kit): Promise<void> {
  await kit.site.killEdge();
  await runUntil(kit, A, { tier: 'gold', web_port: '9090' }, ['Notice: tier gold']);
}

async function restoreBackup({ site }: Kit): Promise<void> {
  const variables = await site.restore();
  const record = JSON.parse(await understudy(variables, 'node', 'show', A, '--format', 'json'));
  if (record.catalog == null) throw new Error(`the restored record of ${A} has no catalog`);
  await understudy(variables, 'verify');
}

/** Runs an agent until its output has these texts. */
async function runUntil(
  { site, folder }: Kit,
  certname: string,
  facts: Readonly<Record<string, string>>,
  texts: readonly string[],
): Promise<void> {
  let output = '';
  await waitFor(`a run of ${certname}`, async () => {
    const { host, port } = site.door('edge');
    const agent = new PuppetAgent(certname, { folder: join(folder, 'agents', certname), server: host });
    const run = await agent.run(port, { web_port: '8080', ...facts }, 15);
    await site.settle();
    ({ output } = run);
    return texts.every((text) => output.includes(text));
  }).catch((error: unknown) => {
    throw new Error(`${error}; it printed:\n${output}`, { cause: error });
  });
}

function identityOf(folder: string, certname: string): Identity {
  const read = (path: string) => readFileSync(join(folder, 'agents', certname, 'ssldir', path), 'utf8');
  return { certname, certificate: read(`certs/${certname}.pem`), key: read(`private_keys/${certname}.pem`) };
}

const caFile = (folder: string) => join(folder, 'ca.pem');
const tokenFile = (folder: string) => join(folder, 'token');

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly cookies: readonly string[];
}

function askDoor({ site, folder }: Kit, name: DoorName, path: string, asked: Asked = {}): Promise<Answer> {
  return ask(site.door(name), path, { ...asked, trusted: readFileSync(caFile(folder), 'utf8') });
}

/** `trusted`: the certificate of the CA, PEM; null before it is known. */
function ask(
  { host, port }: Door,
  path: string,
  { method = 'GET', headers = {}, body, trusted }: Asked & { readonly trusted: string | null },
): Promise<Answer> {
  const security = trusted === null ? { rejectUnauthorized: false } : { ca: trusted };
  return new Promise((resolve, reject) => {
    const outgoing = request({ host, port, path, method, headers, timeout: 60_000, ...security }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      const cookies = incoming.headers['set-cookie'] ?? [];
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text, cookies }));
    });
    outgoing.once('timeout', () => outgoing.destroy(new Error(`${path} was not answered`)));
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

/** Whether a rehearsal can run here: it needs a real agent. */
export function hasAgent(): boolean {
  return existsSync('/usr/bin/puppet') || existsSync('/opt/puppetlabs/bin/puppet');
}
