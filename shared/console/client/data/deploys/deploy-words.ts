import type { EnvironmentRow } from '../code-shapes.ts';

/** Whether the policy gives a deploy to some nodes first. */
export function hasStagedDeploys({ stageCanaries }: Pick<EnvironmentRow, 'stageCanaries'>): boolean {
  return stageCanaries !== 'off';
}

/** Says what becomes of a deploy under the policy, and of a stage that is there. */
export function predictDeploy(row: Pick<EnvironmentRow, 'name' | 'stage' | 'stageCanaries' | 'rolledBack'>): string {
  const { name, stage, stageCanaries, rolledBack } = row;
  const read = `The code of ${name} is read from its source`;
  if (stage !== null && !(stage.isOfPolicy && hasStagedDeploys(row))) {
    return `${read}, and refused while other code is staged: promote or abort that first.`;
  }
  const again =
    rolledBack === null ? '' : ` This counts for code ${rolledBack.codeId.slice(0, 12)}, too, which was rolled back.`;
  if (!hasStagedDeploys(row)) return `${read} and put in force for all nodes.${again}`;
  const canaries =
    typeof stageCanaries === 'number' ? printCanaryCount(stageCanaries) : `${stageCanaries} of the nodes`;
  const former = stage === null ? '' : `, in place of the staged ${stage.codeId.slice(0, 12)}`;
  return `${read} and staged for ${canaries}${former}, as the policy says. The other nodes keep their code meanwhile.${again}`;
}

/** `1 canary`, `2 canaries`. */
export function printCanaryCount(count: number): string {
  return count === 1 ? '1 canary' : `${count.toLocaleString('en')} canaries`;
}
