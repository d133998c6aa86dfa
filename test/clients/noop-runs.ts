import { expect } from 'vitest';
import type { SiteAnswer } from '../helpers/local-site.ts';
import type { Asked, ClientSite } from './client-site.ts';

type JsonObject = Readonly<Record<string, unknown>>;
/** Whether a form that asks for noop gets it, or an error. */
type Fate = 'noop' | 'refused';
/** A path below the API's root, its body without the scope, and the fate. */
type Form = readonly [label: string, path: string, body: JsonObject, fate: Fate];

const SCHEDULES = 'scheduled_jobs/environment_jobs';
const DEPLOY = 'command/deploy';
const TASK = 'command/task';

const deploy = (label: string, body: JsonObject, fate: Fate): Form => {
  return [`deploy, ${label}`, DEPLOY, { environment: 'production', ...body }, fate];
};
const task = (label: string, name: string, body: JsonObject, fate: Fate): Form => {
  return [`task ${name}, ${label}`, TASK, { environment: 'production', task: name, params: {}, ...body }, fate];
};
const schedule = (label: string, type: string, input: JsonObject, fate: Fate, more: JsonObject = {}): Form => {
  return [`schedule of a ${type}, ${label}`, SCHEDULES, { environment: 'production', type, input, ...more }, fate];
};
const former = (label: string, kind: string, body: JsonObject, fate: Fate): Form => {
  return [`schedule_${kind}, ${label}`, `command/schedule_${kind}`, { environment: 'production', ...body }, fate];
};

const quiet = { name: 'demo::quiet' };
const free = { name: 'demo::free' };

/** All forms in which a client can ask for a run that changes nothing. */
const FORMS: readonly Form[] = [
  deploy('noop', { noop: true }, 'noop'),
  deploy('noop and no_noop of false', { noop: true, no_noop: false }, 'noop'),
  deploy('noop and no_noop', { noop: true, no_noop: true }, 'refused'),
  deploy('noop as a text', { noop: 'true' }, 'refused'),
  deploy('noop as a number', { noop: 1 }, 'refused'),
  deploy('noop with a value', { noop: { value: true } }, 'refused'),
  deploy('noop in capitals', { NOOP: true }, 'refused'),
  deploy('_noop', { _noop: true }, 'refused'),
  deploy('noop in params', { params: { noop: true } }, 'refused'),
  deploy('noop in parameters', { parameters: { noop: true } }, 'refused'),
  deploy('noop in options', { options: { noop: true } }, 'refused'),
  task('noop', 'demo::quiet', { noop: true }, 'noop'),
  task('noop as a text', 'demo::quiet', { noop: 'true' }, 'refused'),
  task('_noop', 'demo::quiet', { _noop: true }, 'refused'),
  task('_noop in params', 'demo::quiet', { params: { _noop: true } }, 'refused'),
  task('_noop in params against noop', 'demo::quiet', { noop: false, params: { _noop: true } }, 'refused'),
  task('noop against _noop in params', 'demo::quiet', { noop: true, params: { _noop: false } }, 'refused'),
  task('_noop in params as a text', 'demo::quiet', { params: { _noop: 'true' } }, 'refused'),
  task('noop, not supported', 'demo::hello', { noop: true }, 'refused'),
  task('_noop in params, not supported', 'demo::hello', { params: { _noop: true } }, 'refused'),
  task('noop, without metadata', 'demo::free', { noop: true }, 'refused'),
  task('_noop in params, without metadata', 'demo::free', { params: { _noop: true } }, 'refused'),
  task('noop', 'puppet_agent::run', { noop: true }, 'noop'),
  task('noop as a parameter', 'puppet_agent::run', { params: { noop: true } }, 'noop'),
  task('_noop in params', 'puppet_agent::run', { params: { _noop: true } }, 'refused'),
  task('noop against the parameter', 'puppet_agent::run', { noop: true, params: { noop: false } }, 'noop'),
  task('noop as a parameter of a text', 'puppet_agent::run', { params: { noop: 'true' } }, 'refused'),
  task('noop', 'bolt_shim::command', { noop: true, params: { command: 'id' } }, 'refused'),
  task('_noop in params', 'bolt_shim::command', { params: { command: 'id', _noop: true } }, 'refused'),
  task('noop', 'apply_helpers::apply_catalog', { noop: true, params: { catalog: {} } }, 'noop'),
  task('_noop in params', 'apply_helpers::apply_catalog', { params: { catalog: {}, _noop: true } }, 'refused'),
  schedule('noop in the input', 'deploy', { noop: true }, 'noop'),
  schedule('noop as a text in the input', 'deploy', { noop: 'true' }, 'refused'),
  schedule('noop in parameters', 'deploy', { parameters: { noop: true } }, 'noop'),
  schedule('noop with a value in parameters', 'deploy', { parameters: { noop: { value: true } } }, 'noop'),
  schedule('noop with a text as value', 'deploy', { parameters: { noop: { value: 'true' } } }, 'refused'),
  schedule(
    'noop with a value beside a plain one',
    'deploy',
    { parameters: { noop: { value: true }, debug: true } },
    'refused',
  ),
  schedule(
    'noop with a value and more',
    'deploy',
    { parameters: { noop: { value: true, sensitive: false } } },
    'refused',
  ),
  schedule('noop in sensitive_parameters', 'deploy', { sensitive_parameters: { noop: { value: true } } }, 'noop'),
  schedule('noop called sensitive', 'deploy', { parameters: { noop: true }, sensitive_parameters: ['noop'] }, 'noop'),
  schedule('noop against parameters', 'deploy', { noop: true, parameters: { noop: false } }, 'refused'),
  schedule('noop in params', 'deploy', { params: { noop: true } }, 'refused'),
  schedule('noop beside the input', 'deploy', {}, 'refused', { noop: true }),
  schedule('noop in the schedule', 'deploy', {}, 'refused', { schedule: { noop: true } }),
  schedule('parameters beside the input', 'deploy', {}, 'refused', { parameters: { noop: true } }),
  schedule('noop in the input', 'task', { ...quiet, noop: true }, 'noop'),
  schedule('_noop in parameters', 'task', { ...quiet, parameters: { _noop: true } }, 'refused'),
  schedule('_noop with a value', 'task', { ...quiet, parameters: { _noop: { value: true } } }, 'refused'),
  schedule('noop, not supported', 'task', { name: 'demo::hello', noop: true }, 'refused'),
  schedule('_noop, without metadata', 'task', { ...free, parameters: { _noop: { value: true } } }, 'refused'),
  former('noop', 'deploy', { noop: true }, 'noop'),
  former('noop in parameters', 'deploy', { parameters: { noop: true } }, 'refused'),
  former('noop in params', 'deploy', { params: { noop: true } }, 'refused'),
  former('noop in its options', 'deploy', { schedule_options: { noop: true } }, 'refused'),
  former('noop', 'task', { task: 'demo::quiet', params: {}, noop: true }, 'noop'),
  former('_noop in parameters', 'task', { task: 'demo::quiet', parameters: { _noop: true } }, 'refused'),
  former('_noop in params', 'task', { task: 'demo::quiet', params: { _noop: true } }, 'refused'),
];

const nodeOf = (index: number) => `noop${index}.example.com`;
const LATER = 'later.example.com';
const SOON_MS = 4000;

/** A body of a form for one node; scheduled ones run soon. */
function complete(path: string, body: JsonObject, node: string): JsonObject {
  const scope = { nodes: [node] };
  const soon = new Date(Date.now() + SOON_MS).toISOString();
  if (path === SCHEDULES) {
    const { input = {}, schedule: more = {} } = body;
    return {
      ...body,
      input: { ...Object(input), scope },
      schedule: { start_time: soon, interval: null, ...Object(more) },
    };
  }
  return { ...body, scope, ...(path.includes('schedule_') ? { scheduled_time: soon } : {}) };
}

function isNoop({ what, params }: Asked): boolean {
  if (what === 'pxp-module-puppet run') return Array.isArray(params.flags) && params.flags.includes('--noop');
  return what === 'task run' && Object(params.input)._noop === true;
}

/** What an agent was asked, as soon as it was. */
async function waitForAgent({ asked }: ClientSite, node: string): Promise<string> {
  const found = () => asked.filter((one) => one.node === node);
  await expect.poll(found, { message: `${node} was asked nothing` }).not.toEqual([]);
  return found().every(isNoop) ? 'noop' : `enforcing: ${JSON.stringify(found())}`;
}

/** Sends a form again when its time was past before it arrived. */
async function sendInTime(world: ClientSite, path: string, body: JsonObject, node: string): Promise<SiteAnswer> {
  for (;;) {
    const answer = await world.orchestrate('POST', path, complete(path, body, node));
    if (!answer.body.includes('invalid-time')) return answer;
  }
}

/** Nodes whose agents must be connected. */
export const NOOP_NODES = [...FORMS.map((_, index) => nodeOf(index)), LATER];

/** Sends all forms; gives the fate of each by its label, and the one that each must have. */
export async function playNoopForms(
  world: ClientSite,
): Promise<{ readonly fates: JsonObject; readonly due: JsonObject }> {
  const play = async ([label, path, body]: Form, index: number) => {
    const node = nodeOf(index);
    const { status, body: text } = await sendInTime(world, path, body, node);
    if (status === 400) return [label, 'refused'];
    return [label, status < 300 ? await waitForAgent(world, node) : `${status} ${text}`];
  };
  const fates = Object.fromEntries(await Promise.all(FORMS.map(play)));
  return { fates, due: Object.fromEntries(FORMS.map(([label, , , fate]) => [label, fate])) };
}

/** Schedules a deploy with noop for never, then changes its time; gives its fate. */
export async function playChangedSchedule(world: ClientSite): Promise<string> {
  const input = { parameters: { noop: { value: true } }, scope: { nodes: [LATER] } };
  const never = { start_time: '2099-01-01T00:00:00Z', interval: null };
  const scheduled = { type: 'deploy', environment: 'production', input, schedule: never };
  const { body } = await world.orchestrate('POST', SCHEDULES, scheduled);
  const path = `${SCHEDULES}/${JSON.parse(body).scheduled_job.name}`;
  for (let isLate = true; isLate; ) {
    const start_time = new Date(Date.now() + SOON_MS).toISOString();
    const { body: answer } = await world.orchestrate('PUT', path, { schedule: { ...never, start_time } });
    isLate = answer.includes('invalid-time');
  }
  return waitForAgent(world, LATER);
}
