import type { ApiSchema } from '../../../../api/described-answers.ts';
import type { EnvironmentRow, ShownPreview } from '../code-shapes.ts';
import {
  type CommandWords,
  deployCommand,
  dryRunCommand,
  endStageCommand,
  rollBackCommand,
} from '../commands/cli-commands.ts';
import { hasStagedDeploys, predictDeploy, printCanaryCount } from './deploy-words.ts';

/** A change of the code in force that is about to be made. */
export interface CodeChange {
  readonly environment: EnvironmentRow;
  /** Null: the newest code of the source. */
  readonly codeId: string | null;
  /** The nodes that get it first: `all`, a number, or a share such as `5%`. */
  readonly first: string;
  /** Another environment whose code is tried, as that of a branch; absent: its own is deployed. */
  readonly codeOf?: string | null;
}

/** The kind of a change: what it does with the code. */
export type DeployKind = 'deploy' | 'roll back' | 'promote';

/** Values of a policy; those that are not set count as the server's usual ones. */
export type DeployPolicy = ApiSchema<'Policy'>;

/** The kind of change that putting this code in force is. */
export function kindOfDeploy({ stage }: EnvironmentRow, codeId: string | null): DeployKind {
  if (codeId === null) return 'deploy';
  return stage?.codeId === codeId ? 'promote' : 'roll back';
}

/** Whether canaries can be chosen by hand: no code is staged, and no policy stages it. */
export function mayChooseCanaries(row: EnvironmentRow, codeId: string | null): boolean {
  return row.stage === null && (codeId !== null || !hasStagedDeploys(row));
}

/** The policy of an environment: its own values before those of all environments. */
export function findPolicy(policies: Readonly<Record<string, DeployPolicy>>, environment: string): DeployPolicy {
  return { ...policies.default, ...policies[`environments/${environment}`] };
}

/**
 * Says what happens: to the code, to the nodes that ask meanwhile, and when nodes run. `policy` is
 * null for a user who may not see it.
 */
export function describeEffects(plan: CodeChange, policy: DeployPolicy | null): readonly string[] {
  const { name } = plan.environment;
  if (plan.codeOf) {
    return [
      `Nodes of ${name} are compiled with the code of ${plan.codeOf}, as puppet agent --environment ${plan.codeOf} --noop gets it. Nothing is put in force.`,
    ];
  }
  const effects = [describeCode(plan)];
  if (policy === null) return effects;
  const isChecked = plan.first !== 'all' || kindOfDeploy(plan.environment, plan.codeId) === 'deploy';
  if (policy.deploy_check === 'on' && isChecked) {
    effects.push('One node of each role is compiled first. It is refused when one fails that compiles now.');
  }
  effects.push(FRESHNESS[policy.freshness ?? 'wait'], describeRuns(policy));
  return effects;
}

function describeCode({ environment: row, codeId, first }: CodeChange): string {
  const { name, stage } = row;
  const kind = kindOfDeploy(row, codeId);
  const others = 'The other nodes keep their code until that is promoted.';
  if (first !== 'all') {
    const code = codeId === null ? 'The newest code of its source' : `Code ${codeId.slice(0, 12)}`;
    return `${code} is staged for ${printFirst(first)}. ${others}`;
  }
  if (kind === 'deploy') return predictDeploy(row);
  const code = codeId?.slice(0, 12) ?? '';
  if (kind === 'promote') {
    return `The staged code ${code}, which ${printCanaryCount(stage?.canaries ?? 0)} have, is put in force for all nodes, whatever its canaries say.`;
  }
  const source = 'A source that has the present code does not bring it again.';
  const staged = stage === null ? '' : ` The staged code ${stage.codeId.slice(0, 12)} is taken back.`;
  return `The code ${code} of ${name} is put in force again for all nodes.${staged} ${source}`;
}

function printFirst(first: string): string {
  return first.endsWith('%') ? `${first.slice(0, -1)} % of the nodes` : printCanaryCount(Number(first));
}

const FRESHNESS: Readonly<Record<NonNullable<DeployPolicy['freshness']>, string>> = {
  wait: 'A node that asks before its new catalog is compiled waits for it.',
  stale: 'A node that asks before its new catalog is compiled gets its last good one at once.',
  retry: 'A node that asks before its new catalog is compiled is asked to come back later.',
};

function describeRuns({ notify = 'off', notify_rate: rate, notify_window: window, canary }: DeployPolicy): string {
  if (notify === 'off') return 'Nodes get their new catalogs at their next run.';
  const when = window == null ? '' : `, between ${window}`;
  const first = canary == null ? '' : `, ${canary} of them first`;
  return `Nodes whose catalogs change are run${notify === 'now' ? ' at once' : ` at ${rate ?? '2%/min'}`}${when}${first}.`;
}

/** The numbers of a dry run in a sentence; without one, that there was none. */
export function describeNodes(preview: ShownPreview | null): string {
  if (preview === null) return 'No dry run was made: how many nodes it touches is not known.';
  const count = (number: number) => number.toLocaleString('en');
  const { touched, compared, failures } = preview;
  const changed = preview.groups.reduce((sum, group) => sum + group.count, 0);
  const uses = touched === 1 ? '1 node uses' : `${count(touched)} nodes use`;
  const fails = failures.filter(({ isNew }) => isNew).length;
  const change = `${count(changed)} ${changed === 1 ? 'changes' : 'change'}`;
  const fail = fails === 1 ? ', and 1 fails that compiles now' : `, and ${count(fails)} fail that compile now`;
  return `${uses} what changed. By ${count(compared)} compiled ${compared === 1 ? 'catalog' : 'catalogs'}, ${change}${fails === 0 ? '' : fail}.`;
}

/** The command that does the same; null for canaries of earlier code. */
export function commandOfDeploy({ environment: row, codeId, first, codeOf }: CodeChange): CommandWords | null {
  const { name, stage } = row;
  if (codeOf) return dryRunCommand(name, codeOf);
  const canary = first === 'all' ? null : first;
  if (codeId === null) return deployCommand(name, canary);
  if (canary !== null) return null;
  return stage?.codeId === codeId ? endStageCommand(name, 'promote') : rollBackCommand(name, codeId);
}
