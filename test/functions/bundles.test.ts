import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccessService } from '../../shared/access/accounts/access-service.ts';
import { createToken } from '../../shared/access/tokens/deploy-tokens.ts';
import { FRONT_DOOR_VARIABLES } from '../../shared/config/front-doors.ts';
import { MEASURES } from '../../shared/config/metrics.ts';
import { ORCHESTRATOR_VARIABLES } from '../../shared/config/orchestrator.ts';
import { PROBE_VARIABLES } from '../../shared/config/probe.ts';
import { FreshnessPolicies } from '../../shared/fleet/policies/freshness-policies.ts';
import { readPolicyEntry } from '../../shared/fleet/policies/policy-fields.ts';
import { NotifyBook } from '../../shared/orchestrator/notify/notify-book.ts';
import { systemSecrets } from '../../shared/store/system-secrets.ts';
import { EditableControlRepo, exporterManifest } from '../e2e/control-repo.ts';
import { PuppetAgent } from '../e2e/puppet-agent.ts';
import { CHEAP_COST } from '../helpers/access-world.ts';
import { makeRequest } from '../helpers/certificate-request.ts';
import type { RequestCounts } from '../helpers/iam/enforcing-proxy.ts';
import { DeployedStack } from '../helpers/lambda/deployed-stack.ts';
import type { EdgeProcess } from '../helpers/lambda/edge-process.ts';
import { OperatorPorts } from '../helpers/lambda/operator-ports.ts';
import { canChangeUser } from '../helpers/lambda/sandbox.ts';
import { hasPuppet } from '../helpers/puppet.ts';
import { PxpAgent, type PxpCredentials } from '../helpers/pxp-agent.ts';

const SECRET = 'a-token-of-this-test-which-nobody-else-has';
const FACTS = { tier: 'silver', web_port: '8080' };
const A = 'a.example.com';
const B = 'b.example.com';
/** Native code leaves this to Ruby. */
const RUBY_FUNCTION = `Puppet::Functions.create_function(:'profile::backwards') do
  dispatch(:backwards) { param 'String', :text }
  def backwards(text)
    ObjectSpace.garbage_collect
    text.reverse
  end
end
`;

const PLAN = `plan profile::greet_all(TargetSpec $nodes, Sensitive[String] $secret) {
  $results = run_task('profile::greet', $nodes, 'name' => profile::backwards('nalp'), 'secret' => $secret.unwrap)
  return $results.map |$one| { $one['_output'] }
}
`;
const TASK = JSON.stringify({
  parameters: { name: { type: 'String' }, secret: { type: 'Optional[String]', sensitive: true } },
});

const folder = mkdtempSync(join(tmpdir(), 'understudy-bundles-'));
const repo = new EditableControlRepo(join(folder, 'control-repo'));
const [a, b] = [new PuppetAgent(A), new PuppetAgent(B)];
let stack: DeployedStack;
let edge: EdgeProcess;
let authority: EdgeProcess;
let services: OperatorPorts;

beforeAll(async () => {
  repo.write('site/profile/lib/puppet/functions/profile/backwards.rb', RUBY_FUNCTION);
  repo.write('site/role/manifests/exporter.pp', exporterManifest("notify { profile::backwards('ybur'): }"));
  repo.write('site/profile/plans/greet_all.pp', PLAN);
  repo.write('site/profile/tasks/greet.json', TASK);
  repo.write('site/profile/tasks/greet.sh', '#!/bin/sh\necho "hello $PT_name"\n');
  stack = await DeployedStack.deploy();
  services = await OperatorPorts.find();
  ({ edge, authority } = await stack.startContainers(services.variables));
});

afterAll(async () => {
  await stack?.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** Uploads the control repo and deploys it, as a pipeline does. */
async function deploy(): Promise<unknown> {
  const archive = join(folder, 'production.tar.gz');
  execFileSync('tar', ['-czf', archive, '-C', join(repo.directory, 'environments/production'), '.']);
  const headers = { 'X-Authentication': SECRET };
  const body = readFileSync(archive);
  const staged = await authority.ask('/understudy/v1/code/production', { method: 'PUT', headers, body });
  expect(staged.status, staged.text).toBe(200);
  const request = JSON.stringify({ environments: ['production'], wait: true });
  const deployed = await authority.ask('/code-manager/v1/deploys', {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: request,
  });
  return JSON.parse(deployed.text);
}

/** What the store knows of a node's compiles. */
async function compilesOf(certname: string) {
  const node = await stack.stores.nodes.get(certname);
  const { wanted, built, compiles, failure } = node ?? fail(`no node ${certname}`);
  return { wanted, built, compiles, failure: failure?.message ?? null };
}

/** The stored catalog of a node as text. */
async function catalogOf(certname: string): Promise<string> {
  const node = await stack.stores.nodes.get(certname);
  const blob = await stack.stores.blobs.get(`catalogs/${node?.catalog?.hash}`);
  return gunzipSync(blob ?? new Uint8Array()).toString();
}

/** Waits until no job is queued or under way. */
async function waitUntilIdle(): Promise<void> {
  const countJobs = async () => {
    const { waiting, express, background } = await stack.stores.queue.getDepth();
    return [waiting, express, background].reduce((sum, { visible, inFlight }) => sum + visible + inFlight, 0);
  };
  await expect.poll(countJobs, { interval: 50 }).toBe(0);
}

/**
 * A request as API Gateway passes it on; with the certificate that a mutual-TLS domain verified.
 */
async function askApi(path: string, query = '', clientCertPem: string | null = null, body?: string) {
  const method = body === undefined ? 'GET' : 'PUT';
  const authentication = clientCertPem === null ? {} : { authentication: { clientCert: { clientCertPem } } };
  const event = {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: query,
    headers: { host: 'understudy.example.com' },
    requestContext: { http: { method, path }, domainName: 'understudy.example.com', ...authentication },
    isBase64Encoded: false,
    ...(body === undefined ? {} : { body }),
  };
  const answer = await stack.function('FrontDoorApp').invoke(event);
  // The function's answer is JSON of this form.
  return answer as APIGatewayProxyStructuredResultV2;
}

/** The lines of a function that are metrics with this name. */
function countMetrics(part: string, name: string): number {
  const { lines } = stack.function(part);
  return lines.filter((line) => line.includes('_aws') && line.includes(`"${name}":`)).length;
}

function fail(message: string): never {
  throw new Error(message);
}

describe.skipIf(!hasPuppet())('the bundles as AWS runs them', () => {
  it('take code over HTTPS and deploy it', async () => {
    await createToken(stack.stores, SECRET, 'pipeline', null);
    expect(await deploy()).toMatchObject([{ environment: 'production', status: 'complete' }]);
  });

  it.skipIf(!canChangeUser)('retry a compile whose Ruby cannot be read, which is no failure of the node', async () => {
    const compile = stack.function('WorkersCompile');
    const files = readdirSync(compile.folder).filter((name) => /^ruby-.*\.(image|module)$/.test(name));
    expect(files).toHaveLength(2);
    const { nodes } = stack.stores;
    await nodes.markSeen(A, 'production', 1);
    await nodes.want(A, 'first catalog', 1, { asked: true });
    const job = { certname: A, generation: 1, reason: 'first catalog', at: 1 };
    for (const [index, name] of files.entries()) {
      chmodSync(join(compile.folder, name), 0);
      const answer = await compile.invoke({ Records: [recordOf(job)] });
      expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'of the test' }] });
      const fault = new RegExp(`MachineryFault: .*EACCES: permission denied, open '${join(compile.folder, name)}'`);
      expect(compile.lines.some((line) => fault.test(line))).toBe(true);
      expect(await compilesOf(A)).toEqual({ wanted: 1, built: 0, compiles: 0, failure: null });
      expect(countMetrics('WorkersCompile', MEASURES.jobFaults.cloudWatch)).toBe(index + 1);
      chmodSync(join(compile.folder, name), 0o444);
      // Each thread and process opens its files once.
      await compile.end();
    }
  });

  it('give an agent its certificate, plugins and a catalog with Ruby in it', async () => {
    stack.startQueues();
    const { code, output } = await a.run(edge.port, FACTS);
    expect(output).toContain(`Downloaded certificate for ${A} from https://localhost:`);
    expect(output).toContain('Notice: flavour: vanilla');
    expect(output).toContain('Notice: ruby');
    expect(output).not.toContain('Error: Could not');
    expect(code).toBe(2);
    expect(await compilesOf(A)).toMatchObject({ compiles: 1, failure: null });
    // The edge opens the key of its own certificate, once, and seals nothing.
    expect(stack.countsOf('authority')).toMatchObject({ Encrypt: expect.any(Number) });
    expect(Object.entries(stack.countsOf('edge')).filter(([name]) => /crypt/.test(name))).toEqual([['Decrypt', 1]]);
    expect(Object.keys(stack.countsOf('WorkersCompile')).filter((name) => /crypt/.test(name))).toEqual([]);
  });

  it('serve the second run from the store', async () => {
    const before = [stack.countsOf('edge'), stack.countsOf('WorkersCompile')] as const;
    const { code, output } = await a.run(edge.port, { ...FACTS, unused: 'changed' });
    expect(output).toContain('Notice: flavour: vanilla');
    expect(code).toBe(2);
    expect(await compilesOf(A)).toMatchObject({ compiles: 1 });
    expect(requestsSince(before[1], stack.countsOf('WorkersCompile'))).toEqual({});
    const { SendMessageBatch, SendMessage, ...rest } = requestsSince(before[0], stack.countsOf('edge'));
    expect([SendMessageBatch, SendMessage]).toEqual([undefined, undefined]);
    expect(rest.GetItem).toBeGreaterThan(0);
  });

  it('compile anew for a changed fact, and tell the collectors of a changed export by the stream', async () => {
    const { output } = await b.run(edge.port, FACTS);
    expect(output).toContain(`Notice: endpoint ${A}:8080`);
    await stack.deliverStream();
    await waitUntilIdle();
    const before = await compilesOf(B);
    await a.run(edge.port, { tier: 'gold', web_port: '9090' });
    expect(readFileSync(join(a.root, 'greeting'), 'utf8')).toBe('Hello, gold.\n');
    expect(await stack.deliverStream()).toBeGreaterThan(0);
    await expect.poll(async () => (await compilesOf(B)).compiles).toBe(before.compiles + 1);
    expect(await catalogOf(B)).toContain(`${A}:9090`);
  });

  it('compile the nodes that use a deployed change, without their asking, and make them due for a run', async () => {
    await waitUntilIdle();
    const policies = new FreshnessPolicies(stack.stores.documents);
    // Twelve hours from now: the authority service leaves due nodes where they are.
    const hour = new Date(Date.now() + 12 * 3600_000).toISOString().slice(11, 13);
    await policies.put('default', readPolicyEntry({ notify: 'paced', notify_window: `${hour}:00-${hour}:59` }));
    await stack.deliverNodes();
    const before = [await compilesOf(A), await compilesOf(B)] as const;
    repo.write('data/common.yaml', '---\nprofile::base::motto: a new motto\n');
    expect(await deploy()).toMatchObject([{ status: 'complete' }]);
    await expect.poll(async () => (await compilesOf(A)).compiles).toBe(before[0].compiles + 1);
    expect(await catalogOf(A)).toContain('motto: a new motto');
    expect(await compilesOf(B)).toEqual(before[1]);
    expect(await stack.deliverNodes()).toBeGreaterThan(0);
    const book = new NotifyBook(stack.stores.documents);
    const [lane = ''] = await book.listLanes();
    expect(lane).toMatch(/^production\|paced\|/);
    expect((await book.listDue(lane, 10, '')).map(({ certname }) => certname)).toEqual([A]);
    await policies.delete('default');
  });

  it('feed the ring, and prune', async () => {
    await waitUntilIdle();
    const fed = await stack.function('WorkersFeed').invoke({});
    expect(fed).toMatchObject({ settled: [], fed: expect.any(Number) });
    expect(countMetrics('WorkersFeed', MEASURES.ringLag.cloudWatch)).toBe(1);
    await waitUntilIdle();
    const catalogs = [await catalogOf(A), await catalogOf(B)];
    expect(await stack.function('WorkersPrune').invoke({})).toEqual(expect.any(Object));
    expect([await catalogOf(A), await catalogOf(B)]).toEqual(catalogs);
    expect(countMetrics('WorkersCompile', MEASURES.jobFaults.cloudWatch)).toBe(canChangeUser ? 2 : 0);
  });

  it('post failures that begin to a webhook, whose address is a secret', async () => {
    const bodies: string[] = [];
    const receiver = createServer((request, response) => {
      text(request).then((body) => {
        bodies.push(body);
        response.end('ok');
      });
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const address = receiver.address();
    const port = typeof address === 'object' ? address?.port : 0;
    stack.secrets.set('puppet/alerts', `http://127.0.0.1:${port}/services/T0/B0`);
    const feed = stack.function('WorkersFeed');
    // A process keeps a secret for a quarter of an hour.
    await feed.end();
    await feed.invoke({});
    expect(bodies).toEqual([]);
    const failing = { environment: 'production', beganWith: null, goodAt: null, failed: 1 };
    const failures = [{ resource: null, message: 'no such tier', file: null, line: null }];
    await stack.stores.documents.put('failing/compile', A, { certname: A, at: Date.now(), ...failing, failures });
    await feed.invoke({});
    expect(bodies.map((body) => JSON.parse(body))).toMatchObject([
      { event: 'opened', failure: { kind: 'compile', message: 'no such tier', nodes: [A] } },
    ]);
    await stack.stores.documents.delete('failing/compile', A);
    receiver.close();
  });

  it("do an agent's run as the probe", async () => {
    const probe = stack.function('ProbeRun');
    const read = (path: string) => readFileSync(join(b.folder, 'ssldir', path), 'utf8');
    probe.addVariables({
      [PROBE_VARIABLES.url]: `https://localhost:${edge.port}`,
      [PROBE_VARIABLES.certname]: B,
    });
    const secret = { certificate: read(`certs/${B}.pem`), key: read(`private_keys/${B}.pem`) };
    stack.secrets.set('puppet/probe', JSON.stringify(secret));
    expect(await probe.invoke({ time: '2026-01-02T03:04:05Z' })).toEqual({ resources: expect.any(Number) });
    expect(probe.lines.join('\n')).toContain('"ProbeFailures":0');
    expect(probe.lines.join('\n')).toContain(`"Timestamp":${Date.UTC(2026, 0, 2, 3, 4, 5)}`);
    probe.addVariables({ [PROBE_VARIABLES.certname]: A });
    await probe.end();
    await expect(probe.invoke({ time: '2026-01-02T03:04:05Z' })).rejects.toThrow(
      `AgentRunFailed: GET /puppet/v3/node/${A}: 403 `,
    );
    expect(probe.lines.join('\n')).toContain('"ProbeFailures":1');
  });

  it('feed the inventory when its database is back, and tell that it is away', async () => {
    const image = { certname: { S: A }, facts: { S: '{"digest":"1","at":1}' } };
    const record = { eventName: 'INSERT', dynamodb: { SequenceNumber: '7', NewImage: image } };
    expect(await stack.function('InventoryFeed').invoke({ Records: [record] })).toEqual({
      batchItemFailures: [{ itemIdentifier: '7' }],
    });
    await expect(stack.function('InventoryMaintenance').invoke({})).rejects.toThrow('the database cannot be reached');
    await expect(stack.function('InventoryQuery').invoke({})).rejects.toThrow('the database cannot be reached');
  });

  it('serve operators apart from nodes', async () => {
    const path = '/code-manager/v1/deploys/status';
    const headers = { 'X-Authentication': SECRET };
    expect((await edge.ask(path, { headers })).status).toBe(421);
    expect((await authority.ask(path, { headers })).status).toBe(200);
    expect((await authority.ask(`/puppet/v3/node/${A}`)).status).toBe(421);
  });

  it('answer through API Gateway', async () => {
    expect(await askApi('/status/v1/simple')).toMatchObject({ statusCode: 200, body: 'running' });
    const { body } = await askApi('/puppet-ca/v1/certificate/ca');
    expect(body).toMatch(/^-----BEGIN CERTIFICATE-----/);
    const node = `/puppet/v3/node/${A}`;
    expect(await askApi(node, 'environment=production')).toMatchObject({ statusCode: 403 });
    const certificate = readFileSync(join(a.folder, `ssldir/certs/${A}.pem`), 'utf8');
    expect(await askApi(node, 'environment=production', certificate)).toMatchObject({
      statusCode: 200,
      body: `{"name":"${A}","environment":"production"}`,
    });
    const { request } = await makeRequest('stranger.example.com');
    expect(await askApi('/puppet-ca/v1/certificate_request/stranger.example.com', '', null, request)).toMatchObject({
      statusCode: 400,
      body: 'This server accepts no certificate requests',
    });
  });
});

/** The orchestrator in containers: two brokers, and two authority services. */
describe.skipIf(!hasPuppet())('the orchestrator as AWS runs it', () => {
  let brokers: readonly EdgeProcess[];
  let agent: PxpAgent;
  /** What the agent was asked to run, and what it is still running. */
  const ran: string[] = [];
  const running = Promise.withResolvers<unknown>();
  let isPuppetRunning = false;
  const caFile = () => join(a.folder, 'ssldir/certs/ca.pem');
  const tokenFile = join(folder, 'token');

  function credentialsOf(node: PuppetAgent): PxpCredentials {
    const read = (path: string) => readFileSync(join(node.folder, 'ssldir', path), 'utf8');
    const { certname } = node;
    const [certificate, key] = [read(`certs/${certname}.pem`), read(`private_keys/${certname}.pem`)];
    return { certificate, key, trusted: readFileSync(caFile(), 'utf8') };
  }

  /** An agent that runs the real Puppet, and one kind of task. */
  async function connect(broker: EdgeProcess | undefined): Promise<PxpAgent> {
    const connected = await PxpAgent.open(broker?.port ?? 0, credentialsOf(a));
    connected.results['pxp-module-puppet run'] = async () => {
      ran.push('puppet');
      isPuppetRunning = true;
      await a.run(edge.port, FACTS);
      isPuppetRunning = false;
      const report = readFileSync(join(a.folder, 'vardir/state/last_run_report.yaml'), 'utf8');
      const read = (name: string) => new RegExp(`^${name}: ['"]?([^'"\n]+)`, 'm').exec(report)?.[1];
      return {
        transaction_uuid: read('transaction_uuid'),
        environment: read('environment'),
        status: read('status'),
        exitcode: 0,
        metrics: {},
      };
    };
    connected.results['task run'] = ({ task, input }) => {
      ran.push(`${task} ${JSON.stringify(input)}`);
      if (Object(input).name === 'slow') return running.promise;
      return { exitcode: 0, stdout: `hello ${Object(input).name}\n` };
    };
    connected.results['status query'] = ({ transaction_id }) => ({
      transaction_id,
      ...(isPuppetRunning ? { status: 'running' } : { status: 'success', exitcode: 0, stdout: 'hello slow\n' }),
    });
    return connected;
  }

  /** Runs a command of ours as an operator, or as somebody without credentials of AWS. */
  async function command(variables: Readonly<Record<string, string>>, ...args: readonly string[]) {
    const cli = join(import.meta.dirname, '../../functions/cli.ts');
    const env = { PATH: process.env.PATH ?? '', HOME: folder, NO_COLOR: '1', ...variables };
    return promisify(execFile)(process.execPath, [cli, ...args], { env }).catch((error) => error);
  }

  const client = (...args: readonly string[]) =>
    command({}, ...args, '--service-url', services.orchestratorUrl, '--ca-cert', caFile(), '--token-file', tokenFile);

  async function ask(path: string, token: string, body?: unknown, ports = services) {
    const headers = { 'X-Authentication': token, 'Content-Type': 'application/json' };
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const url = `/orchestrator/v1${path}`;
    const { status, text } = await authority.ask(url, { headers, port: ports.orchestrator, ...sent });
    return { status, body: JSON.parse(text) };
  }

  beforeAll(async () => {
    const url = `https://localhost:${authority.port}`;
    const start = (id: string) =>
      stack.startContainer(
        'broker',
        { [FRONT_DOOR_VARIABLES.keyHolder]: url, [ORCHESTRATOR_VARIABLES.brokerStatusPort]: '0' },
        id,
      );
    brokers = [await start('broker one'), await start('broker two')];
  });

  it('has a first administrator, who is made with the credentials of AWS and logs in', async () => {
    writeFileSync(join(folder, 'password'), 'correct horse battery\n');
    const made = await command(
      stack.operatorVariables,
      ...['access', 'user', 'create', 'alice', '--password-file', join(folder, 'password')],
    );
    expect(made.stdout + made.stderr).toContain('alice');
    const login = ['access', 'login', 'alice', '--password-file', join(folder, 'password')];
    const url = ['--service-url', services.accessUrl, '--ca-cert', caFile(), '--token-file', tokenFile];
    const logged = await command({}, ...login, ...url);
    expect([logged.stderr, readFileSync(tokenFile, 'utf8').length > 40]).toEqual(['', true]);
  });

  it('has the console, in which she logs in and reads from the APIs beside it', async () => {
    const port = services.console;
    const page = await authority.ask('/console/nodes', { port });
    expect([page.status, page.text]).toEqual([200, expect.stringMatching(/^<!doctype html>/i)]);
    const [, script = ''] = /src="([^"]+\.js)"/.exec(page.text) ?? [];
    expect(await authority.ask(script, { port })).toMatchObject({
      status: 200,
      text: expect.stringContaining('X-Understudy-Console'),
    });
    const headers = { 'Content-Type': 'application/json', 'X-Understudy-Console': '1' };
    const body = JSON.stringify({ login: 'alice', password: 'correct horse battery' });
    const session = await authority.ask('/console/session', { port, method: 'POST', headers, body });
    expect([session.status, JSON.parse(session.text).user.login]).toEqual([200, 'alice']);
    const [cookie = ''] = session.cookies;
    const get = (path: string) => authority.ask(path, { port, headers: { Cookie: cookie.split(';')[0] ?? '' } });
    for (const path of ['/understudy/v1/nodes', '/rbac-api/v1/users/current', '/orchestrator/v1/jobs']) {
      expect([path, (await get(path)).status]).toEqual([path, 200]);
    }
    // It asks the function of the inventory, whose database is away here.
    const queried = await get('/pdb/query/v4/nodes');
    expect([queried.status, queried.text]).toEqual([503, 'The inventory does not answer: ask again']);
    expect(stack.countsOf('authority')).toMatchObject({ Invoke: expect.any(Number) });
    expect((await authority.ask('/understudy/v1/nodes', { port })).status).toBe(401);
  });

  it('runs Puppet and a task on a node that is connected to a broker', async () => {
    agent = await connect(brokers[0]);
    await expect
      .poll(async () => (await ask(`/inventory/${A}`, readFileSync(tokenFile, 'utf8'))).body.connected)
      .toBe(true);
    const job = await client('job', 'run', '--nodes', A);
    expect(job.stdout + job.stderr).toContain(`Finished node ${A} - SUCCESS!`);
    const task = await client('task', 'run', 'profile::greet', 'name=world', 'secret=xyzzy', '--nodes', A);
    expect(task.stdout).toContain('hello world');
    expect(ran).toEqual(['puppet', 'profile::greet {"name":"world","secret":"xyzzy"}']);
    expect(JSON.stringify((await ask('/jobs/2', readFileSync(tokenFile, 'utf8'))).body)).not.toContain('xyzzy');
    const nodes = await ask('/jobs/1/nodes', readFileSync(tokenFile, 'utf8'));
    expect(nodes.body.items).toMatchObject([{ name: A, state: 'finished', result: { hash: expect.any(String) } }]);
  });

  it('runs a plan, whose code needs Ruby, in a thread of its own', async () => {
    const args = ['profile::greet_all', `nodes=${A}`, 'secret=xyzzy'];
    const plan = await client('plan', 'run', ...args);
    expect(plan.stdout + plan.stderr).toContain('hello plan');
    expect(ran.at(-1)).toBe('profile::greet {"name":"plan","secret":"xyzzy"}');
    const [shown] = (await ask('/plan_jobs', readFileSync(tokenFile, 'utf8'))).body.items;
    expect(shown).toMatchObject({ state: 'success', result: ['hello plan\n'] });
    expect(JSON.stringify(shown)).not.toContain('xyzzy');
  });

  it('takes the token of a user for a deploy, and refuses jobs without permission', async () => {
    const deployed = await authority.ask('/code-manager/v1/deploys/status', {
      headers: { 'X-Authentication': readFileSync(tokenFile, 'utf8') },
    });
    expect(deployed.status).toBe(200);
    const access = new AccessService({ ...stack.stores, secrets: systemSecrets }, { passwordCost: CHEAP_COST });
    const names = { login: 'bob', email: 'bob@example.com', displayName: 'Bob' };
    const account = await access.accounts.create({
      ...names,
      isGroup: false,
      roleIds: [],
      password: await access.hash('not used'),
    });
    const secret = await access.tokens.create(account, { lifetimeMs: 60_000 });
    expect(await ask('/command/deploy', secret, { scope: { nodes: [A] }, environment: '' })).toMatchObject({
      status: 403,
    });
    expect(await ask('/jobs', 'nobody')).toMatchObject({ status: 401 });
  });

  it('ends a job although its process and the broker of its node are killed, and runs nothing twice', async () => {
    const ports = await OperatorPorts.find();
    const second = await stack.startContainer('authority', ports.variables, 'authority two');
    const token = readFileSync(tokenFile, 'utf8');
    const isThere = () => ask('/status', token, undefined, ports).then(({ status }) => status, String);
    await expect.poll(isThere).toBe(200);
    const request = {
      task: 'profile::greet',
      params: { name: 'slow' },
      scope: { nodes: [A] },
      environment: 'production',
    };
    const before = ran.length;
    const begun = await ask('/command/task', token, request, ports);
    const number = begun.body.job.name;
    await expect.poll(() => ran.length).toBe(before + 1);
    await second.end();
    await brokers[0]?.end();
    agent = await connect(brokers[1]);
    running.resolve({ exitcode: 0, stdout: 'too late for those who asked' });
    const state = async () => (await ask(`/jobs/${number}`, token)).body.state;
    await expect.poll(state, { interval: 500 }).toBe('finished');
    const nodes = await ask(`/jobs/${number}/nodes`, token);
    expect(nodes.body.items).toMatchObject([{ name: A, state: 'finished', result: { _output: 'hello slow\n' } }]);
    expect(ran).toHaveLength(before + 1);
  });

  it('sends its agents away when it is told to stop, at a pace', async () => {
    expect(await brokers[1]?.stop()).toBe(0);
    expect(await agent.ended).toBe('1001 Broker is stopping.');
  });
});

describe.skipIf(!hasPuppet())('the policies of the roles', () => {
  it('allow all that the bundles asked of AWS', () => {
    expect([...stack.denials]).toEqual([]);
  });
});

function recordOf(job: unknown) {
  return {
    messageId: 'of the test',
    receiptHandle: 'none',
    body: JSON.stringify(job),
    attributes: { ApproximateReceiveCount: '1' },
    eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:none',
  };
}

function requestsSince(before: RequestCounts, after: RequestCounts): RequestCounts {
  const differences = Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)] as const);
  return Object.fromEntries(differences.filter(([, count]) => count > 0));
}
