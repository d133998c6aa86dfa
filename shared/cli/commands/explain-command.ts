import { nodeState } from '../../fleet/nodes/node-state.ts';
import type { NodeRecord } from '../../store/ports/node-record.ts';
import { StoreRefused } from '../../store/ports/store-errors.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { explainInputs } from './explain-inputs.ts';

/** Formats the state of a node's catalog and its recorded inputs for people to read. */
export async function explainNode(node: NodeRecord, { blobs }: Pick<Stores, 'blobs'>): Promise<string> {
  const { inputs } = node;
  const state = `${node.certname}, environment ${inputs?.environment ?? node.environment}: ${stateOf(node)}\n`;
  if (inputs === null) {
    const { isWaitingForFacts } = await import('../../fleet/nodes/signed-node.ts');
    return (await isWaitingForFacts(node, { blobs }))
      ? `${state}Its certificate is signed; its facts are unknown\n`
      : state;
  }
  const { dependencies, collectors } = inputs;
  if (!dependencies) throw new StoreRefused(`${node.certname} was compiled by an earlier release`);
  const { recallFiles } = await import('../../fleet/dependencies/recall-files.ts');
  const read = await recallFiles(dependencies, blobs);
  if (read === null) throw new StoreRefused(`the dependency set ${dependencies.set} is lost`);
  return `${state}${lastCompile(node)}${classifiedBy(node)}\n${explainInputs({ ...inputs, ...read, currentUntil: inputs.currentUntil ?? null }, dependencies.set, collectors)}`;
}

function stateOf(node: NodeRecord): string {
  const state = nodeState(node);
  if (state === 'new') return 'no catalog was requested yet';
  if (state === 'outdated') return `out of date (${node.reasons.at(-1) ?? 'unknown'})`;
  return state === 'failed' ? `failed: ${node.failure?.message}` : state;
}

/** Describes the last compile, whether it failed or not. */
function lastCompile({ catalog, failure }: NodeRecord): string {
  if (failure !== null) return `Compiled ${formatTime(failure.at)}${withCode(failure.codeId)}\n`;
  if (catalog === null) return '';
  return `Compiled ${formatTime(catalog.compiledAt)} in ${catalog.durationMs} ms${withCode(catalog.codeId)}\n`;
}

/** Names the source of the classification, and what the rules of node groups read. */
function classifiedBy({ classification, grouping, external }: NodeRecord): string {
  if (classification !== null) return 'Classified by the operator\n';
  if ((grouping?.classification ?? null) === null) {
    return external === null ? '' : 'Classified by the external node classifier\n';
  }
  const paths = grouping?.paths ?? [];
  const read = paths.length === 0 ? '' : `, whose rules read ${paths.join(' ')}`;
  return `Classified by node groups${read}\n`;
}

function formatTime(at: number): string {
  return new Date(at).toISOString();
}

function withCode(codeId: string | null): string {
  return codeId === null ? '' : ` with code ${codeId.slice(0, 12)}`;
}
