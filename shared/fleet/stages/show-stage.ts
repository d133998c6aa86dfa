import type { EnvironmentRecord, StagePlan } from '../../store/ports/environment-store.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { stateOfStage } from './environment-note.ts';
import { type CanaryPorts, type CanaryProgress, lookAtCanaries } from './look-at-canaries.ts';

/** A staged deploy, as operators see it. */
export interface ShownStage {
  readonly environment: string;
  /** The staged code. */
  readonly codeId: string;
  /** The code of the other nodes. */
  readonly inForce: string;
  readonly begunAt: number;
  readonly by: string;
  /** When the canaries are late. */
  readonly lateAt: number;
  /** `held`: it waits for an operator. `ending`: it is being taken back. */
  readonly state: 'trial' | 'held' | 'ending';
  /** Why it is held; null when it is not. */
  readonly reason: string | null;
  readonly plan: StagePlan;
  /** Number of canaries in each state. */
  readonly counts: Readonly<Record<CanaryProgress['status'], number>>;
  readonly canaries: readonly Omit<CanaryProgress, 'isMissed'>[];
}

/** The stages of all environments, or that of one, with what became of their canaries. */
export async function showStages(
  ports: CanaryPorts & Pick<Stores, 'environments'>,
  environment?: string,
): Promise<readonly ShownStage[]> {
  const { environments } = ports;
  const one = environment === undefined ? null : await environments.get(environment);
  const records = environment === undefined ? await environments.list() : one ? [one] : [];
  const shown: ShownStage[] = [];
  for (const record of records) {
    const stage = await showStage(record, ports);
    if (stage) shown.push(stage);
  }
  return shown;
}

async function showStage(record: EnvironmentRecord, ports: CanaryPorts): Promise<ShownStage | null> {
  const { stage } = record;
  if (!stage) return null;
  const { codeId, begunAt, by, plan, held } = stage;
  const canaries = await lookAtCanaries(record, stage, ports);
  const count = (status: CanaryProgress['status']) => canaries.filter((one) => one.status === status).length;
  return {
    environment: record.name,
    codeId,
    inForce: record.codeId,
    begunAt,
    by,
    lateAt: begunAt + plan.waitMs,
    state: stateOfStage(stage),
    reason: held?.reason ?? null,
    plan,
    counts: { good: count('good'), worse: count('worse'), waiting: count('waiting'), uncounted: count('uncounted') },
    canaries: canaries.map(({ certname, status, reason }) => ({ certname, status, reason })),
  };
}
