import type { Author } from '../../access/accounts/account.ts';
import type { CodeStage } from '../../store/ports/environment-store.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { CodeIsStaged } from '../code/deploy.ts';
import { demandNotHeld, releaseHeld } from '../code/taken-back.ts';
import { abortStage } from '../fan-out/end-stage.ts';
import type { InvalidatePorts } from '../fan-out/settle-environment.ts';
import { FreshnessPolicies } from '../policies/freshness-policies.ts';
import { type BegunStage, beginStage } from './begin-stage.ts';
import { type CanaryChoice, createStagePlan, InvalidStage, parseCanaries } from './stage-plan.ts';

/** Code for an environment, of a git source or of somebody who deploys it. */
interface OfferedCode {
  readonly environment: string;
  /** A stored snapshot. */
  readonly codeId: string;
  readonly by: string;
  /** The user who deploys it, or set its source; absent for a command. */
  readonly author?: Author;
  /** Whether this author of a stage is the same source. */
  readonly isOwn: (by: string) => boolean;
  /** Whether it comes again by itself: then it is not staged again when it was taken back. */
  readonly isRepeated: boolean;
  /** Looks at the code before a stage of it begins. */
  readonly check: () => Promise<void>;
}

/** `staged`: a stage has begun. `kept`: this code is staged already, or newer code is. */
export type PolicyStage =
  | { readonly kind: 'staged'; readonly begun: BegunStage }
  | { readonly kind: 'kept'; readonly stage: CodeStage };

type StageByPolicyPorts = InvalidatePorts & Pick<Stores, 'documents'>;

/** Whether deploys of an environment are staged; its first one is not. */
export async function isStagedByPolicy(environment: string, ports: StageByPolicyPorts): Promise<boolean> {
  if ((await ports.environments.get(environment)) === null) return false;
  return (await new FreshnessPolicies(ports.documents).resolveStage(environment)).stageCanaries !== 'off';
}

/**
 * Begins a stage of code as the policy of the environment says. Newer code takes the place of an
 * earlier stage of the policy, whoever began it, also of one that is held; the code in force takes
 * it back. Code that comes again by itself is not newer than a stage that began since. Null when
 * the code is to be put in force for all: it is so already, or the environment has no node. Throws
 * CodeIsStaged for a stage whose canaries somebody else chose, and CodeIsHeld.
 */
export async function stageByPolicy(code: OfferedCode, ports: StageByPolicyPorts): Promise<PolicyStage | null> {
  const { environment, codeId, by, isOwn, isRepeated, check } = code;
  const { documents } = ports;
  const record = await ports.environments.get(environment);
  const { stage } = record ?? {};
  if (stage?.codeId === codeId && !stage.isEnding) return { kind: 'kept', stage };
  const isForeign = stage !== undefined && !isOwn(stage.by);
  if (isForeign && !stage.isOfPolicy) throw new CodeIsStaged(environment, stage);
  if (isForeign && isRepeated && [record?.codeId, record?.takenBack?.codeId].includes(codeId))
    return { kind: 'kept', stage };
  if (record === null || record.codeId === codeId) {
    if (stage) await abortStage(environment, ports, stage, by);
    await releaseHeld(environment, codeId, ports);
    return null;
  }
  if (isRepeated) demandNotHeld(record, codeId);
  await check();
  const policy = await new FreshnessPolicies(documents).resolveStage(environment);
  const request = {
    environment,
    codeId,
    by,
    ...(code.author && { author: code.author }),
    ...readPolicy(policy),
    isOfPolicy: true as const,
    ...(isRepeated && ({ isRepeated } as const)),
  };
  const begun = await orWhole(() => beginStage(request, ports));
  return begun && { kind: 'staged', begun };
}

/** Code that somebody deploys. */
type DeployedCode = Pick<OfferedCode, 'environment' | 'codeId' | 'by' | 'author'>;

/**
 * Begins a stage of what somebody deploys, where the policy says so; it takes the place of another
 * stage of the policy. Null when all nodes are to have the code. Throws CodeIsStaged.
 */
export async function stageDeploy(code: DeployedCode, ports: StageByPolicyPorts): Promise<PolicyStage | null> {
  if (!(await isStagedByPolicy(code.environment, ports))) return null;
  const isOwn = (by: string) => by === code.by;
  return stageByPolicy({ ...code, isOwn, isRepeated: false, check: async () => {} }, ports);
}

type PolicyOfStage = Awaited<ReturnType<FreshnessPolicies['resolveStage']>>;

function readPolicy({ stageCanaries, stageMinutes: minutes, ...ends }: PolicyOfStage) {
  const { stageWhenGood: whenGood, stageWhenWorse: whenWorse, stageWhenLate: whenLate } = ends;
  const canaries: CanaryChoice = parseCanaries(String(stageCanaries));
  return { canaries, plan: createStagePlan({ minutes, whenGood, whenWorse, whenLate }) };
}

/** Null where there is no node to begin with: the choice itself was checked with the policy. */
async function orWhole(begin: () => Promise<BegunStage | null>): Promise<BegunStage | null> {
  try {
    return await begin();
  } catch (error) {
    if (error instanceof InvalidStage) return null;
    throw error;
  }
}
