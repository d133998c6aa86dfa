import type { SiteAnswer } from '../helpers/local-site.ts';
import { PxpAgent } from '../helpers/pxp-agent.ts';
import { OWNER } from './code.ts';
import { type TaintedSite, waitUntil } from './tainted-site.ts';

const TASK = 'site::deploy';
const ENVIRONMENT = 'production';
const SCOPE = { nodes: [OWNER] };
/** Larger than what a record holds: the rest is in a blob. */
const LONG = 'x'.repeat(70_000);

/** Connects the agent of a node, which keeps what it got. */
export async function connectAgent({ site }: TaintedSite): Promise<{ readonly got: unknown[]; close(): void }> {
  const { ca, cert, key } = site.credentialsOf(OWNER);
  const agent = await PxpAgent.open(site.ports.broker, {
    certificate: String(cert),
    key: String(key),
    trusted: String(ca),
  });
  const got: unknown[] = [];
  agent.results['task run'] = (params) => {
    got.push(params);
    return { exitcode: 0, stdout: '{}', stderr: '' };
  };
  return { got, close: () => agent.close() };
}

/** Runs tasks, plans and schedules with secrets, and returns what their agent got. */
export async function runJobs(tainted: TaintedSite): Promise<string> {
  const { marks } = tainted;
  const agent = await connectAgent(tainted);
  const command = (name: string, body: object, expected = 0) =>
    tainted.send('orchestrator', 'POST', `/orchestrator/v1/command/${name}`, body, expected);
  const task = (params: object) => ({ environment: ENVIRONMENT, task: TASK, params, scope: SCOPE });
  await command('task', task({ password: marks.specialOf('task: a sensitive parameter') }));
  await command('task', task({ user: LONG, password: `${marks.of('task: a long sensitive parameter')}${LONG}` }));
  await command('task', task({ password: [marks.of('task: a refused sensitive parameter')] }), 400);
  await command('task', { ...task({}), params: [marks.of('task: refused parameters')] }, 400);
  const content = Buffer.from(marks.of('task: an uploaded file')).toString('base64');
  const upload = { path: '/t', content, mode: 0o600, directory: false };
  await command('task', { ...task(upload), task: 'bolt_shim::upload' });
  await startPlan(tainted, command);
  await runPlan(tainted, command);
  const ran = await schedule(tainted);
  await waitForJobs(tainted, ran + 6);
  agent.close();
  return JSON.stringify(agent.got);
}

/** Waits until so many jobs ended. */
export async function waitForJobs(tainted: TaintedSite, count: number): Promise<void> {
  await waitUntil(async () => {
    const { body } = await tainted.send('orchestrator', 'GET', '/orchestrator/v1/jobs', undefined);
    const jobs: { state: string }[] = JSON.parse(body).items;
    return jobs.length >= count && jobs.every(({ state }) => state === 'finished' || state === 'failed');
  });
}

/** A request takes less, on a busy machine, too. */
const SOON_MS = 5000;

type Command = (name: string, body: object) => Promise<SiteAnswer>;

async function startPlan({ marks }: TaintedSite, command: Command): Promise<void> {
  const params = { nodes: OWNER, secret: marks.of('plan: a sensitive parameter') };
  const started = await command('plan_start', { plan_name: 'site::roll', params, sensitive: ['secret'] });
  const { name } = JSON.parse(started.body);
  const own = { environment: ENVIRONMENT, task: TASK, params: { password: marks.of('plan: a parameter of its task') } };
  await command('plan_task', { ...own, scope: SCOPE, plan_job: name });
  await command('plan_finish', { plan_job: name, status: 'success', result: {} });
}

/** Runs a plan on the server, which fails. */
async function runPlan(tainted: TaintedSite, command: Command): Promise<void> {
  const params = { nodes: OWNER, secret: tainted.marks.specialOf('plan: a sensitive parameter of one that runs here') };
  const made = await command('plan_run', { plan_name: 'site::login', params });
  const { name } = JSON.parse(made.body);
  await waitUntil(async () => {
    const { body } = await tainted.send('orchestrator', 'GET', `/orchestrator/v1/plan_jobs/${name}`, undefined);
    return JSON.parse(body).state !== 'running';
  });
}

/** Makes scheduled jobs; returns how many run at once. */
async function schedule(tainted: TaintedSite): Promise<number> {
  const { marks } = tainted;
  const soon = () => new Date(Date.now() + SOON_MS).toISOString();
  const later = new Date(Date.now() + 3600_000).toISOString();
  const create = (input: object, type = 'task', at = soon()) =>
    tainted.send('orchestrator', 'POST', '/orchestrator/v1/scheduled_jobs/environment_jobs', {
      type,
      environment: ENVIRONMENT,
      input,
      schedule: { start_time: at, interval: null },
    });
  const input = { name: TASK, scope: SCOPE };
  const named = (name: string) => marks.specialOf(`schedule: ${name}`);
  await create({ ...input, parameters: { password: named('sensitive by metadata') } });
  await create({ ...input, parameters: { user: named('in a list of names') }, sensitive_parameters: ['user'] });
  await create({ ...input, parameters: {}, sensitive_parameters: { user: named('in an object') } });
  await create({ ...input, parameters: { password: { value: named('as a value of PE') } } });
  const wrapped = { user: { value: named('in an object of values of PE') } };
  await create({ ...input, parameters: {}, sensitive_parameters: wrapped });
  await tainted.send('orchestrator', 'POST', '/orchestrator/v1/command/schedule_task', {
    ...{ environment: ENVIRONMENT, task: TASK, scope: SCOPE, scheduled_time: soon() },
    params: { password: named('by the old command') },
  });
  const plan = { name: 'site::roll', parameters: { nodes: OWNER, key: named('of a plan') } };
  await create({ ...plan, sensitive_parameters: ['key'] }, 'plan', later);
  const made = await create({ ...input, parameters: { password: named('that is replaced') } }, 'task', later);
  const { name } = JSON.parse(made.body).scheduled_job;
  await tainted.send('orchestrator', 'PUT', `/orchestrator/v1/scheduled_jobs/environment_jobs/${name}`, {
    input: { ...input, parameters: { password: named('by a change') } },
  });
  return 6;
}
