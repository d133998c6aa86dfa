import type { Author } from '../../access/accounts/account.ts';
import type { CodeStage, StagePlan } from '../../store/ports/environment-store.ts';
import { StoreUnavailable } from '../../store/ports/store-errors.ts';
import { countUnits } from '../../util/count-units.ts';
import { shortenId } from '../../util/short-id.ts';
import { withUploadLock } from '../code/code-lock.ts';
import { NoSuchEnvironment } from '../code/scan-environment.ts';
import { forgetTakenBack } from '../code/taken-back.ts';
import { abortStage, invalidateCanaries, nextRecord } from '../fan-out/end-stage.ts';
import type { InvalidatePorts } from '../fan-out/settle-environment.ts';
import { settleEnvironment } from '../fan-out/settle-environment.ts';
import { loadSnapshot } from '../snapshots/snapshot-cache.ts';
import { chooseCanaries } from './choose-canaries.ts';
import { type CanaryChoice, InvalidStage } from './stage-plan.ts';

/** A staged deploy that is wanted. */
interface StageRequest {
  readonly environment: string;
  /** A stored snapshot. */
  readonly codeId: string;
  readonly by: string;
  /** See `CodeStage`. */
  readonly author?: Author;
  readonly canaries: CanaryChoice;
  readonly plan: StagePlan;
  /** See `CodeStage`. */
  readonly isOfPolicy?: true;
  readonly isRepeated?: true;
}

/** A staged deploy that has begun. */
export interface BegunStage {
  readonly environment: string;
  readonly stage: CodeStage;
  /** Number of nodes that use what changed, canaries and others. */
  readonly touched: number;
  /** The staged code that it replaces; null for none. */
  readonly replaced: string | null;
}

const MOST_ATTEMPTS = 10;

/** One line for a log. */
export function printBegunStage({ environment, stage, replaced }: BegunStage): string {
  const former = replaced === null ? '' : ` in place of the staged ${shortenId(replaced)}`;
  const { codeId, canaries, by } = stage;
  const count = countUnits(canaries.length, 'canary');
  return `${environment} staged for ${count}: code ${shortenId(codeId)}${former}, by ${by}`;
}

/**
 * Puts stored code in force for canaries alone: they are invalidated, and other nodes keep their
 * code. A deploy that is under way is completed first; an earlier stage is taken back. Null when
 * all nodes have this code. Throws NoSuchEnvironment for an environment without code, InvalidStage
 * when there is no node to begin with, StoreUnavailable when the snapshot is missing.
 */
export async function beginStage(request: StageRequest, ports: InvalidatePorts): Promise<BegunStage | null> {
  const { environment: name, codeId } = request;
  return withUploadLock(ports, async () => {
    await loadSnapshot(ports.blobs, codeId);
    if ((await ports.environments.get(name))?.codeId === codeId) return null;
    const { canaries, touched } = await chooseCanaries(name, codeId, request.canaries, ports);
    if (canaries.length === 0) throw new InvalidStage(`environment '${name}' has no node: deploy without canaries`);
    const replaced = (await abortStage(name, ports, null, request.by))?.stage.codeId ?? null;
    const stage = await writeStage({ ...request, canaries }, ports);
    return { environment: name, stage, touched, replaced };
  });
}

async function writeStage(
  { environment: name, ...request }: Omit<StageRequest, 'canaries'> & Pick<CodeStage, 'canaries'>,
  ports: InvalidatePorts,
): Promise<CodeStage> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    await settleEnvironment(name, ports);
    const record = await ports.environments.get(name);
    if (!record) throw new NoSuchEnvironment(`there is no environment '${name}'`);
    if (record.settled < record.revision) {
      throw new StoreUnavailable(`the last deploy of environment ${name} is still invalidating nodes: try again later`);
    }
    const stage: CodeStage = { ...request, number: record.revision + 1, begunAt: ports.clock.now() };
    const next = nextRecord(stage.isRepeated ? forgetTakenBack(record) : record, stage);
    if (record.stage || !(await ports.environments.replace(next, record.revision))) continue;
    await invalidateCanaries(next, stage, ports);
    return stage;
  }
  throw new StoreUnavailable(`environment ${name} keeps being changed by other processes`);
}
