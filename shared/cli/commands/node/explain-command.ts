import { loadSetParts } from '../../../fleet/dependencies/dependency-cache.ts';
import { type DescribedInputs, describeInputs } from '../../../fleet/inputs/describe-inputs.ts';
import { findUnknownToAgent } from '../../../fleet/inputs/unknown-to-agent.ts';
import { nodeState } from '../../../fleet/nodes/node-state.ts';
import { isWaitingForFacts } from '../../../fleet/nodes/signed-node.ts';
import { printStrictness } from '../../../fleet/policies/strictness-policy.ts';
import type { Classification, CompileNote, NodeRecord } from '../../../store/ports/node-record.ts';
import { StoreRefused } from '../../../store/ports/store-errors.ts';
import type { Stores } from '../../../store/ports/stores.ts';
import { shortenId } from '../../../util/short-id.ts';
import { type ListColumn, type ListStyle, printList } from '../../client/list-table.ts';
import { formatJson } from '../../client/option-values.ts';
import { printBacktrace } from '../../client/print-backtrace.ts';
import { formatAge } from '../../client/relative-time.ts';
import { explainInputs } from './explain-inputs.ts';

/** Format of an explanation. */
export interface ExplainStyle extends Pick<ListStyle, 'format' | 'wide' | 'now'> {}

/** The source of a node's classification. */
interface ExplainedSource {
  readonly source: 'operator' | 'node groups' | 'external node classifier';
  readonly classification: Classification;
  /** The paths that the rules of node groups read. */
  readonly paths: readonly string[];
}

/**
 * Explains a node's catalog for people to read, or as JSON: its state, the language and strictness
 * that a policy gives its environment, its classification, its last compiles, and the inputs that
 * it follows from, with their values and readers. Throws StoreRefused when the record of its inputs
 * is lost.
 */
export async function explainNode(
  node: NodeRecord,
  { blobs, environments }: Pick<Stores, 'blobs' | 'environments'>,
  style: ExplainStyle,
): Promise<string> {
  const { strictness = {} } = (await environments.get(environmentOf(node))) ?? {};
  const described = await describe(node, blobs);
  const unknown = described === null ? [] : await findUnknownToAgent(node, { blobs });
  if (style.format === 'json') return formatJson({ ...toJson(node, described, unknown), strictness });
  const given = printStrictness(strictness);
  const place = `environment ${environmentOf(node)}${given === '' ? '' : ` (${given})`}`;
  const state = `${node.certname}, ${place}: ${stateOf(node)}\n`;
  if (described === null) {
    const isSilent = await isWaitingForFacts(node, { blobs });
    return isSilent ? `${state}Its certificate is signed; its facts are unknown\n` : state;
  }
  return [
    state,
    lastCompile(node, style.now),
    ...unknown.map((reason) => `Warning: ${reason}\n`),
    printSource(classifiedBy(node)),
    '\nThe catalog is compiled again when any of this changes:\n\n',
    explainInputs(described, environmentOf(node), { isWhole: style.wide === true }),
    ...printRest(node, described, style.now),
  ].join('');
}

/** Null for a node that was not compiled yet. */
async function describe(node: NodeRecord, blobs: Stores['blobs']): Promise<DescribedInputs | null> {
  if (node.inputs === null) return null;
  const { dependencies } = node.inputs;
  if ((await loadSetParts(blobs, dependencies.set)) === null) {
    throw new StoreRefused(`the dependency set ${dependencies.set} is lost`);
  }
  return describeInputs(node, { blobs });
}

function toJson(node: NodeRecord, described: DescribedInputs | null, unknownToAgent: readonly string[]) {
  const { certname, reasons, failure, compiles, verifications, inputs } = node;
  return {
    certname,
    environment: environmentOf(node),
    state: nodeState(node),
    failure: failure?.message ?? null,
    backtrace: failure?.backtrace ?? [],
    reasons,
    unknownToAgent,
    classified: classifiedBy(node),
    compileCount: compiles,
    verificationCount: verifications,
    compiles: inputs?.compiles ?? [],
    ...described,
  };
}

function environmentOf({ inputs, environment }: NodeRecord): string {
  return inputs?.environment ?? environment;
}

function stateOf(node: NodeRecord): string {
  const state = nodeState(node);
  if (state === 'new') return 'no catalog was requested yet';
  if (state === 'outdated') return `out of date (${node.reasons.at(-1) ?? 'unknown'})`;
  if (state !== 'failed') return state;
  return [`failed: ${node.failure?.message}`, ...printBacktrace(node.failure?.backtrace)].join('\n');
}

/** Describes the last compile, whether it failed or not. */
function lastCompile({ catalog, failure }: NodeRecord, now: number): string {
  if (failure !== null) return `Compiled ${formatAge(failure.at, now)}${withCode(failure.codeId)}\n`;
  if (catalog === null) return '';
  return `Compiled ${formatAge(catalog.compiledAt, now)} in ${catalog.durationMs} ms${withCode(catalog.codeId)}\n`;
}

/** Null when nobody classifies the node. */
function classifiedBy({ classification, grouping, external }: NodeRecord): ExplainedSource | null {
  if (classification !== null) return { source: 'operator', classification, paths: [] };
  const byGroups = grouping?.classification ?? null;
  if (byGroups !== null) return { source: 'node groups', classification: byGroups, paths: grouping?.paths ?? [] };
  return external && { source: 'external node classifier', classification: external, paths: [] };
}

function printSource(found: ExplainedSource | null): string {
  if (found === null) return '';
  const { source, classification, paths } = found;
  const { classes, parameters, environment } = classification;
  const read = paths.length === 0 ? '' : `, whose rules read ${paths.join(' ')}`;
  const names = Array.isArray(classes) ? classes : Object.keys(classes);
  return [
    `Classified by the ${source}${read}\n`,
    environment === null ? '' : `  environment ${environment}\n`,
    names.length === 0 ? '' : `  classes ${names.join(' ')}\n`,
    Object.keys(parameters).length === 0 ? '' : `  variables ${Object.keys(parameters).join(' ')}\n`,
  ].join('');
}

function printRest({ inputs }: NodeRecord, { omitted }: DescribedInputs, now: number): readonly string[] {
  const values = Object.keys(inputs?.keptValues ?? {});
  const until = inputs?.currentUntil;
  return [
    ...(values.length === 0 ? [] : [`\nValues kept on the server:\n${values.map((name) => `  ${name}\n`).join('')}`]),
    ...(until === undefined ? [] : [`\nThe time: it is compiled again ${formatAge(until, now)}\n`]),
    ...(omitted === 0 ? [] : [`\n${omitted} further inputs are not shown\n`]),
  ];
}

function withCode(codeId: string | null): string {
  return codeId === null ? '' : ` with code ${shortenId(codeId)}`;
}

const COMPILE_COLUMNS: readonly ListColumn<CompileNote>[] = [
  { name: 'compiled', kind: 'time', value: ({ at }) => at },
  { name: 'outcome', kind: 'state', value: ({ outcome }) => outcome },
  { name: 'took', value: ({ durationMs }) => `${Math.round(durationMs)} ms` },
  { name: 'code', kind: 'id', value: ({ codeId }) => codeId },
  { name: 'catalog', kind: 'id', isWide: true, value: ({ hash }) => hash },
  { name: 'reasons', value: ({ reasons }) => reasons.join('; ') },
];
const SHOWN_REASONS = 5;

/** Says why a node was compiled the last ten times, and why it is to be compiled now. */
export function explainCompiles(node: NodeRecord, style: ListStyle): string {
  const { certname, wanted, built, reasons, inputs, compiles, verifications } = node;
  const notes = inputs?.compiles ?? [];
  if (style.format === 'json') return printList(notes, COMPILE_COLUMNS, style);
  const waiting = reasons.slice(-Math.min(SHOWN_REASONS, wanted - built)).map((reason) => `  ${reason}\n`);
  return [
    `${certname}, environment ${environmentOf(node)}: ${stateOf(node)}\n`,
    ...(built < wanted ? ['It is to be compiled, because:\n', ...waiting] : []),
    `Compiled ${times(compiles)}, and found unchanged ${times(verifications)}\n\n`,
    printList(notes, COMPILE_COLUMNS, style),
  ].join('');
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}
