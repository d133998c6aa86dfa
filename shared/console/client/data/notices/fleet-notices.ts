import type { ApiSchema } from '../../../../api/described-answers.ts';
import { pathOf } from '../../routing/match-route.ts';
import { printCanaryCount } from '../deploys/deploy-words.ts';

type Activity = ApiSchema<'Activity'>;

/** A line about something under way, or about something that needs somebody. */
export interface FleetNotice {
  /** The same as long as it is about the same thing. */
  readonly id: string;
  /** `bad`: it needs somebody, and stays until then. */
  readonly tone: 'bad' | 'wait' | 'quiet';
  /** A sentence, or its begin when `at` ends it. */
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly at?: number;
  /** The page to act on: its address, and words. */
  readonly link: readonly [string, string] | null;
}

/** The lines of an answer: those that need somebody first. */
export function listNotices(activity: Activity): readonly FleetNotice[] {
  const { stages, notified, expires } = activity;
  return [
    ...(activity.hasCode ? [] : [NO_CODE]),
    ...stages.filter(({ state }) => state === 'held').map(describeHeld),
    ...(notified ?? []).filter(({ state }) => state === 'paused').map(describePaused),
    ...(expires === null ? [] : [describeEnd(expires)]),
    ...activity.oldQueues.map(describeQueue),
    ...stages.filter(({ state }) => state === 'trial').map(describeTrial),
    ...activity.fanOuts.map(describeFanOut),
    ...(notified ?? []).filter(({ state }) => state !== 'paused').map(describeNotified),
    ...describeJobs(activity.jobs),
    ...activity.codeWork.map((work) => WORK[work]),
  ];
}

const NO_CODE: FleetNotice = {
  id: 'no-code',
  tone: 'bad',
  text: 'No code is deployed, so agents get an error and change nothing. "understudy code deploy" deploys some.',
  link: ['/code/sources', 'Add a source of code'],
};

const WORK: Readonly<Record<Activity['codeWork'][number], FleetNotice>> = {
  deploy: { id: 'work/deploy', tone: 'quiet', text: 'Code is being stored for a deploy.', link: ['/code', 'Code'] },
  backup: { id: 'work/backup', tone: 'quiet', text: 'A backup is being written.', link: ['/backup', 'Backup'] },
  pruning: { id: 'work/pruning', tone: 'quiet', text: 'Code that nothing needs is being deleted.', link: null },
};

type Staged = Activity['stages'][number];
type Notified = NonNullable<Activity['notified']>[number];

/** `5 canaries: 2 good, 1 worse`; without numbers before they were looked at. */
function printCanaries({ canaries, good, worse }: Staged): string {
  return `${printCanaryCount(canaries)}${good === null ? '' : `: ${good} good, ${worse} worse`}`;
}

function describeHeld(stage: Staged): FleetNotice {
  const { environment, codeId, reason } = stage;
  return {
    id: `held/${environment}/${codeId}`,
    tone: 'bad',
    text: `A deploy of ${environment} is held and waits for somebody: ${reason} (${printCanaries(stage)}).`,
    link: ['/code', 'Promote or abort it'],
  };
}

function describeTrial(stage: Staged): FleetNotice {
  const { environment, codeId, until } = stage;
  return {
    id: `trial/${environment}/${codeId}`,
    tone: 'wait',
    text: `A deploy of ${environment} is on trial for ${printCanaries(stage)}. It ends at the latest`,
    at: until,
    link: ['/code', 'See its canaries'],
  };
}

function describePaused({ environment, job, reason }: Notified): FleetNotice {
  return {
    id: `paused/${job}`,
    tone: 'bad',
    text: `Runs of changed catalogs in ${environment} are paused: ${reason}.`,
    link: [pathOf('jobs', job), 'Look at the job'],
  };
}

function describeNotified({ environment, job, state }: Notified): FleetNotice {
  return {
    id: `notified/${job}`,
    tone: 'quiet',
    text: `Nodes of ${environment} run because their catalogs changed${state === 'canaries' ? ', canaries first' : ''}.`,
    link: [pathOf('jobs', job), `Job ${job}`],
  };
}

function describeEnd({ name, at }: NonNullable<Activity['expires']>): FleetNotice {
  return {
    id: `expires/${name}`,
    tone: 'bad',
    text: `The CA's certificate ${name}, on which all others depend, ends`,
    at,
    link: ['/certificates', 'Certificates'],
  };
}

function describeQueue({ queue, visible, oldestAgeMs }: Activity['oldQueues'][number]): FleetNotice {
  const minutes = Math.floor(oldestAgeMs / 60_000);
  return {
    id: `queue/${queue}`,
    tone: 'bad',
    text: `The oldest of ${printCount(visible, 'job')} in the queue ${queue} waits for ${printCount(minutes, 'minute')}.`,
    link: ['/queue', 'Queue'],
  };
}

function describeFanOut({ environment, nodes }: Activity['fanOuts'][number]): FleetNotice {
  return {
    id: `fan-out/${environment}`,
    tone: 'quiet',
    text: `A deploy of ${environment} reaches its nodes: ${nodes.toLocaleString('en')} so far.`,
    link: ['/code', 'Code'],
  };
}

function describeJobs(jobs: Activity['jobs']): readonly FleetNotice[] {
  if (jobs === null) return [];
  const rest = jobs.count - jobs.newest.length;
  const shown = jobs.newest.map(({ kind, name, work, nodes }): FleetNotice => {
    const [title, path] = kind === 'plan' ? ['Plan job', pathOf('jobs', 'plans', name)] : ['Job', pathOf('jobs', name)];
    const on = nodes === null ? '' : ` on ${printCount(nodes, 'node')}`;
    const what = work === 'deploy' ? 'Puppet runs' : `${work} runs`;
    return { id: `${kind}/${name}`, tone: 'quiet', text: `${what}${on}.`, link: [path, `${title} ${name}`] };
  });
  if (rest <= 0) return shown;
  const text = `${printCount(rest, 'more job')} ${rest === 1 ? 'runs' : 'run'}.`;
  return [...shown, { id: 'more-jobs', tone: 'quiet', text, link: ['/jobs', 'Jobs'] }];
}

function printCount(count: number, unit: string): string {
  return `${count.toLocaleString('en')} ${unit}${count === 1 ? '' : 's'}`;
}
