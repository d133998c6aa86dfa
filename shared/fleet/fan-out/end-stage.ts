import { type CodeStage, codeInForce, type EnvironmentRecord } from '../../store/ports/environment-store.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { invalidateNodes } from '../nodes/invalidate-nodes.ts';

/** The stores of a stage. */
export type StageEndPorts = Pick<Stores, 'environments' | 'nodes' | 'queue' | 'clock'>;

/** A stage that was taken back, and the canaries that were invalidated. */
interface AbortedStage {
  readonly stage: CodeStage;
  readonly invalidated: readonly string[];
}

const MOST_ATTEMPTS = 10;

/**
 * Takes the staged code of an environment back: from the first write on, its canaries have the code
 * of the other nodes, and code that the policy staged is noted as taken back. The canaries are
 * invalidated, then the stage is removed. Null without a stage. A call that is cut short is
 * finished by the next one, or by the feeder. `only`: nothing is done when another stage has begun
 * meanwhile. `by`: who takes it back.
 */
export async function abortStage(
  name: string,
  ports: StageEndPorts,
  only?: Pick<CodeStage, 'codeId' | 'begunAt'> | null,
  by = 'its canaries',
): Promise<AbortedStage | null> {
  const { environments } = ports;
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const record = await environments.get(name);
    const { stage } = record ?? {};
    if (!record || !stage) return null;
    if (only && (only.codeId !== stage.codeId || only.begunAt !== stage.begunAt)) return null;
    if (stage.isEnding) {
      const invalidated = await invalidateCanaries(record, stage, ports);
      await environments.replace(nextRecord(record, undefined), record.revision);
      return { stage, invalidated };
    }
    const next = nextRecord(record, { ...stage, isEnding: true });
    const takenBack = { codeId: stage.codeId, by, at: ports.clock.now() };
    await environments.replace(stage.isRepeated ? { ...next, takenBack } : next, record.revision);
  }
  throw new Error(`environment ${name} keeps being changed by other processes`);
}

/**
 * Invalidates the canaries, whose code changed. A node that was invalidated, or looked at since, is
 * left as it is. Returns those that exist.
 */
export async function invalidateCanaries(
  record: EnvironmentRecord,
  { canaries, isEnding }: CodeStage,
  ports: Pick<StageEndPorts, 'nodes' | 'queue' | 'clock'>,
): Promise<readonly string[]> {
  const reason = `environment ${record.name} ${isEnding ? 'staged deploy aborted' : 'staged'}`;
  const { revision } = codeInForce(record, canaries[0] ?? null);
  return invalidateNodes(canaries, reason, ports, revision);
}

/**
 * The record with another stage. It is a new revision, so that no write that followed from the one
 * before is made; only canaries have to be invalidated for it.
 */
export function nextRecord(
  { stage: _, ...record }: EnvironmentRecord,
  stage: CodeStage | undefined,
): EnvironmentRecord {
  const revision = record.revision + 1;
  return { ...record, revision, settled: revision, ...(stage && { stage }) };
}
