import type { CodeStage } from '../../store/ports/environment-store.ts';
import { switchToStage } from '../code/deploy.ts';
import { NoSuchEnvironment } from '../code/scan-environment.ts';
import { abortStage, type StageEndPorts } from '../fan-out/end-stage.ts';
import type { InvalidatePorts } from '../fan-out/settle-environment.ts';
import { settleEnvironment } from '../fan-out/settle-environment.ts';

/** The environment has no staged deploy. */
export class NoSuchStage extends Error {
  constructor(environment: string) {
    super(`environment '${environment}' has no staged deploy`);
    this.name = 'NoSuchStage';
  }
}

/** A stage that was ended by hand. */
export interface FinishedStage {
  readonly environment: string;
  readonly stage: CodeStage;
  /** Number of nodes that were invalidated. */
  readonly nodeCount: number;
}

/**
 * Puts the staged code in force for all nodes, whatever its canaries say, and invalidates the nodes
 * that it affects. Throws NoSuchEnvironment, NoSuchStage.
 */
export async function promoteStage(name: string, ports: InvalidatePorts): Promise<FinishedStage> {
  const stage = await demandStage(name, ports);
  if (!(await switchToStage(ports, name, stage))) throw new NoSuchStage(name);
  const { count: nodeCount } = await settleEnvironment(name, ports);
  return { environment: name, stage, nodeCount };
}

/** Takes the staged code back: canaries get the code of the others. Throws like `promoteStage`. */
export async function endStage(name: string, ports: StageEndPorts, by: string): Promise<FinishedStage> {
  await demandStage(name, ports);
  const aborted = await abortStage(name, ports, null, by);
  if (aborted === null) throw new NoSuchStage(name);
  return { environment: name, stage: aborted.stage, nodeCount: aborted.invalidated.length };
}

async function demandStage(name: string, { environments }: Pick<StageEndPorts, 'environments'>): Promise<CodeStage> {
  const record = await environments.get(name);
  if (!record) throw new NoSuchEnvironment(`there is no environment '${name}'`);
  if (!record.stage) throw new NoSuchStage(name);
  return record.stage;
}
