import { describeLostRight } from '../../access/accounts/lost-rights.ts';
import {
  type CodeStage,
  codeInForce,
  type EnvironmentRecord,
  type StageEnd,
  type StagePlan,
} from '../../store/ports/environment-store.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { countUnits } from '../../util/count-units.ts';
import { shortenId } from '../../util/short-id.ts';
import { switchToStage } from '../code/deploy.ts';
import { abortStage, nextRecord } from '../fan-out/end-stage.ts';
import type { InvalidatePorts } from '../fan-out/settle-environment.ts';
import { resumeFanOut } from '../fan-out/settle-environment.ts';
import { invalidateNodes } from '../nodes/invalidate-nodes.ts';
import { type CanaryProgress, lookAtCanaries } from './look-at-canaries.ts';
import { keepStageCounts } from './stage-progress.ts';

/** Next action for a stage, and why. */
interface StageVerdict {
  readonly action: StageEnd | 'wait';
  readonly reason: string;
  /** The canaries that are the reason, at most 20; empty when all are. */
  readonly nodes: readonly string[];
}

/** Action of the judge. */
interface StageOutcome extends StageVerdict {
  readonly environment: string;
  readonly codeId: string;
  readonly by: string;
}

type JudgePorts = InvalidatePorts & Pick<Stores, 'documents'>;

const MOST_NAMED = 20;

/** The line of the log about it. */
export function describeOutcome({ environment, codeId, by, action, reason }: StageOutcome): string {
  const done = { promote: 'promoted', abort: 'taken back', hold: 'held', wait: 'left' }[action];
  return `staged deploy of ${environment} ${done}: ${reason} (code_id ${shortenId(codeId)}, by ${by})`;
}

/** Decides about a stage whose canaries are in these states, `ageMs` after it began. */
export function judgeStage(plan: StagePlan, states: readonly CanaryProgress[], ageMs: number): StageVerdict {
  const list = (status: CanaryProgress['status']) => states.filter((state) => state.status === status);
  const [worse, good, waiting] = [list('worse'), list('good'), list('waiting')];
  const first = (some: readonly CanaryProgress[]) => some.slice(0, MOST_NAMED).map(({ certname }) => certname);
  if (worse[0] !== undefined) {
    const others = worse.length > 1 ? ` (${worse.length} canaries are worse)` : '';
    const reason = `${worse[0].certname}: ${worse[0].reason}${others}`;
    return { action: plan.whenWorse, reason, nodes: first(worse) };
  }
  const ran = `${good.length} of ${countUnits(good.length + waiting.length, 'canary')} ran, and none is worse`;
  if (good.length > 0 && waiting.length === 0) return { action: plan.whenGood, reason: ran, nodes: [] };
  if (ageMs < plan.waitMs) return { action: 'wait', reason: ran, nodes: [] };
  const late = `${ran}; the time is over`;
  // Nobody tried the code: it is not known to be good.
  if (good.length === 0 && plan.whenLate === 'promote') return { action: 'hold', reason: late, nodes: first(waiting) };
  return { action: plan.whenLate, reason: late, nodes: first(waiting) };
}

/**
 * Looks at each stage, and does what its plan says; call it once a minute, by one process at a
 * time. It also finishes interrupted work: canaries that were not invalidated, and stages that were
 * ending. With `works` it invalidates the nodes of a promoted stage itself. A fault does not stop
 * it; the first error is thrown at the end. Returns what it did.
 */
export async function judgeStages(ports: JudgePorts, works: boolean): Promise<readonly StageOutcome[]> {
  const outcomes: StageOutcome[] = [];
  const faults: unknown[] = [];
  for (const record of await ports.environments.list()) {
    if (!record.stage) continue;
    await judge(record, record.stage, ports, works).then(
      (outcome) => outcome && outcomes.push(outcome),
      (error: unknown) => faults.push(error),
    );
  }
  if (faults.length > 0) throw faults[0];
  return outcomes;
}

async function judge(
  record: EnvironmentRecord,
  stage: CodeStage,
  ports: JudgePorts,
  works: boolean,
): Promise<StageOutcome | null> {
  const { name: environment } = record;
  const { codeId, by } = stage;
  const done = (verdict: StageVerdict): StageOutcome => ({ environment, codeId, by, ...verdict });
  if (stage.isEnding) {
    const aborted = await abortStage(environment, ports, stage);
    return aborted && done({ action: 'abort', reason: 'it had been cut short', nodes: [] });
  }
  // Its canaries were invalidated before it was held, and an operator decides.
  if (stage.held) return null;
  const states = await lookAtCanaries(record, stage, ports);
  await keepStageCounts(environment, stage, states, ports);
  await invalidateMissed(record, states, ports);
  const judged = judgeStage(stage.plan, states, ports.clock.now() - stage.begunAt);
  const verdict = judged.action === 'promote' ? await demandAuthor(judged, environment, stage, ports) : judged;
  return (await carryOut(verdict, record, stage, ports, works)) ? done(verdict) : null;
}

/** A stage whose author may not deploy any more is held. */
async function demandAuthor(
  verdict: StageVerdict,
  environment: string,
  { author }: CodeStage,
  ports: JudgePorts,
): Promise<StageVerdict> {
  const permission = { objectType: 'environment', action: 'deploy_code', instance: environment };
  const lost = await describeLostRight(ports, author, permission);
  return lost === null ? verdict : { action: 'hold', reason: `${verdict.reason}; ${lost}`, nodes: [] };
}

/** Whether something was done: another process may have ended the stage. */
async function carryOut(
  { action, reason, nodes }: StageVerdict,
  record: EnvironmentRecord,
  stage: CodeStage,
  ports: JudgePorts,
  works: boolean,
): Promise<boolean> {
  if (action === 'abort') return (await abortStage(record.name, ports, stage)) !== null;
  if (action === 'promote') {
    if (!(await switchToStage(ports, record.name, stage))) return false;
    await resumeFanOut(record.name, ports, works);
    return true;
  }
  if (action === 'wait') return false;
  const held = { at: ports.clock.now(), reason, nodes };
  return ports.environments.replace(nextRecord(record, { ...stage, held }), record.revision);
}

/** Invalidates canaries that the process which began the stage missed. */
async function invalidateMissed(
  record: EnvironmentRecord,
  states: readonly CanaryProgress[],
  ports: JudgePorts,
): Promise<void> {
  const missed = states.filter(({ isMissed }) => isMissed).map(({ certname }) => certname);
  const [first] = missed;
  if (first === undefined) return;
  await invalidateNodes(missed, `environment ${record.name} staged`, ports, codeInForce(record, first).revision);
}
