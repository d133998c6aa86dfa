import { type Command, InvalidArgumentError } from 'commander';
import type { DeadNode, NotifyCounts } from '../../orchestrator/notify/notify-book.ts';
import type { Rollout } from '../../orchestrator/notify/rollout-state.ts';
import type { AwsNames } from '../../store/aws/stores.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { countUnits } from '../../util/count-units.ts';
import { formatIsoSeconds } from '../../util/iso-seconds.ts';
import { createFormatOption, type FormatOption, formatJson, type OutputFormat } from '../client/option-values.ts';
import { DATA_OPTION, type StateLocation, withStores } from './command-stores.ts';
import { CommandError } from './node-files.ts';

type Print = (text: string) => Promise<void>;

const MOST_COUNTED = 1_000_000;
const MOST_DEAD = 1000;

/** Adds `notify show` and `notify resume`. */
export function addNotifyCommands(program: Command, print: Print, variables: AwsNames): void {
  const notify = program.command('notify').description('manage the runs of nodes whose catalogs changed');
  notify
    .command('show')
    .description('show rollouts, the number of nodes that wait, and the nodes that could not be notified to run')
    .addOption(createFormatOption())
    .option(...DATA_OPTION)
    .action((options: StateLocation & FormatOption) =>
      withStores(options, variables, (stores) => showNotify(stores, options.format, print)),
    );
  notify
    .command('resume')
    .description('resume a rollout that paused because its first nodes did worse than before')
    .argument('<job>', 'the job that is paused', readJob)
    .option(...DATA_OPTION)
    .action((job: number, where: StateLocation) =>
      withStores(where, variables, async ({ documents }) => {
        const { RolloutStore } = await import('../../orchestrator/notify/rollout-state.ts');
        if (!(await new RolloutStore(documents).resume(job)))
          throw new CommandError(`no rollout is paused by job ${job}`);
        await print(`the rollout of job ${job} goes on\n`);
      }),
    );
}

function readJob(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be the number of a job.');
}

async function showNotify({ documents, jobs }: Stores, format: OutputFormat, print: Print): Promise<void> {
  const { NotifyBook } = await import('../../orchestrator/notify/notify-book.ts');
  const { RolloutStore } = await import('../../orchestrator/notify/rollout-state.ts');
  const book = new NotifyBook(documents);
  if (format === 'json') {
    const [rollouts, dead] = [await new RolloutStore(documents).list(), await book.listDead(MOST_DEAD)];
    const counts = await book.count(MOST_COUNTED);
    return print(formatJson({ rollouts: rollouts.map(toJson), counts, not_notified: dead.map(deadToJson) }));
  }
  for (const { lane, rollout } of await new RolloutStore(documents).list()) {
    const [environment, notify, window] = lane.split('|');
    const name = `${environment} (${notify}${window === 'any' ? '' : `, ${window}`})`;
    for (const line of await describeRollout(rollout, jobs)) await print(`${name}: ${line}\n`);
  }
  await print(`${describeCounts(await book.count(MOST_COUNTED))}\n`);
  for (const dead of await book.listDead(MOST_DEAD)) await print(`${describeDead(dead)}\n`);
}

function toJson({ lane, rollout: { waves, paused } }: { readonly lane: string; readonly rollout: Rollout }) {
  const [environment, notify, window] = lane.split('|');
  const pause = paused && { job: paused.job, since: formatIsoSeconds(paused.at), reason: paused.reason };
  return { environment, notify, window, jobs: waves.map(({ job }) => job), paused: pause };
}

function deadToJson({ node, reason, at }: DeadNode) {
  return { certname: node.certname, given_up: formatIsoSeconds(at), reason };
}

async function describeRollout({ waves, paused }: Rollout, jobs: Stores['jobs']): Promise<readonly string[]> {
  const lines = await Promise.all(
    waves.map(async ({ job }) => {
      const ledger = await jobs.get('job', job);
      if (ledger === null) return `job ${job}`;
      const { nodeCount, nodeStates } = ledger.body;
      return `job ${job}: ${nodeCount - (nodeStates.new ?? 0)} of ${countUnits(nodeCount, 'node')} begun`;
    }),
  );
  if (paused === null) return lines;
  const since = formatIsoSeconds(paused.at);
  return [...lines, `paused since ${since} by job ${paused.job}: ${paused.reason}`];
}

function describeCounts({ due, later, parked, dead }: NotifyCounts): string {
  return `${due} due, ${later} later, ${parked} not connected, ${dead} not notified`;
}

function describeDead({ node, reason, at }: DeadNode): string {
  return `not notified: ${node.certname}, given up at ${formatIsoSeconds(at)}: ${reason}`;
}
