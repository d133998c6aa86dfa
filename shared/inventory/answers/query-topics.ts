import { type Ast, type AstList, isList } from '../ast/ast.ts';
import { parseFieldPath } from '../ast/field-path.ts';

/** Kinds of data that change in the inventory. */
export type TopicKind = 'nodes' | 'facts' | 'factsets' | 'resources' | 'catalogs' | 'reports' | 'packages' | 'any';

/**
 * Something that the answer to a query depends on: a kind of data, narrowed to facts or resource
 * types of a name, and to one node; null is all.
 */
interface QueryTopic {
  readonly kind: TopicKind;
  readonly name: string | null;
  readonly certname: string | null;
}

/** The data that the rows of an entity are made of. */
const KINDS: Readonly<Record<string, readonly TopicKind[]>> = {
  facts: ['facts'],
  fact_contents: ['facts'],
  fact_names: ['facts'],
  fact_paths: ['facts'],
  factsets: ['facts', 'factsets'],
  resources: ['resources'],
  params: ['resources'],
  edges: ['resources'],
  catalogs: ['catalogs'],
  catalog_inputs: ['catalogs'],
  catalog_input_contents: ['catalogs'],
  reports: ['reports'],
  report_logs: ['reports'],
  report_metrics: ['reports'],
  latest_report: ['reports'],
  latest_report_id: ['reports'],
  events: ['reports'],
  event_counts: ['reports'],
  aggregate_event_counts: ['reports'],
  packages: ['packages'],
  package_inventory: ['packages'],
  not_active_nodes: ['nodes'],
  inactive_nodes: ['nodes'],
};

/** The field that names what of a kind a condition is about. */
const NAMED: Readonly<Record<string, string>> = {
  facts: 'name',
  fact_contents: 'name',
  resources: 'type',
  params: 'type',
};

/**
 * Finds the data that the answer to a query depends on. It may find more than that, never less, but
 * for the environments of nodes.
 */
export function findQueryTopics(query: Ast): readonly QueryTopic[] {
  const found = new Map(collect(query).map((topic) => [JSON.stringify(topic), topic]));
  return [...found.values()];
}

function collect(node: Ast): readonly QueryTopic[] {
  if (!isList(node)) return [];
  const [operator, second, ...rest] = node;
  const own = (entity: Ast | undefined, clauses: AstList) =>
    describeEntity(String(entity).replaceAll('-', '_'), clauses);
  const inner = node.flatMap(collect);
  if (operator === 'from' || operator === 'subquery') return [...own(second, rest), ...inner];
  if (typeof operator === 'string' && operator.startsWith('select_')) {
    return [...own(operator.slice('select_'.length), node.slice(1)), ...inner];
  }
  return inner;
}

function describeEntity(entity: string, clauses: AstList): readonly QueryTopic[] {
  const [clause = null] = clauses;
  const isExtract = isList(clause) && clause[0] === 'extract';
  const condition = isExtract ? (clause[2] ?? null) : clause;
  const [certnames, fields] = [valuesOf(condition, 'certname'), isExtract ? listFields(clause) : null];
  const expand = (kind: TopicKind, names: readonly string[] | null): readonly QueryTopic[] =>
    (certnames ?? [null]).flatMap((certname) => (names ?? [null]).map((name) => ({ kind, name, certname })));
  const nodes = expand('nodes', null);
  if (entity === 'nodes') return [...nodes, ...kindsOfNodes(fields).flatMap((kind) => expand(kind, null))];
  if (entity === 'inventory') return [...nodes, ...describeInventory(fields, expand)];
  const field = NAMED[entity];
  const names = field === undefined ? null : valuesOf(condition, field);
  return [...nodes, ...(KINDS[entity] ?? ['any']).flatMap((kind) => expand(kind, names))];
}

/** The data behind the fields of a node that a query names; all without a list of fields. */
function kindsOfNodes(fields: readonly string[] | null): readonly TopicKind[] {
  const names = (pattern: RegExp) => fields === null || fields.some((field) => pattern.test(field));
  return [
    ...(names(/^facts_/) ? (['factsets'] as const) : []),
    ...(names(/^catalog_/) ? (['catalogs'] as const) : []),
    ...(names(/report|cached_catalog/) ? (['reports'] as const) : []),
  ];
}

function describeInventory(
  fields: readonly string[] | null,
  expand: (kind: TopicKind, names: readonly string[] | null) => readonly QueryTopic[],
): readonly QueryTopic[] {
  if (fields === null) return [...expand('facts', null), ...expand('factsets', null)];
  const names = fields.flatMap((field): readonly (string | null)[] => {
    if (field === 'trusted' || field.startsWith('trusted.')) return ['trusted'];
    if (field !== 'facts' && !field.startsWith('facts.')) return [];
    const [first] = parseFieldPath(field).path;
    return [first === undefined || first.kind === 'match' ? null : first.name];
  });
  const known = names.includes(null) ? null : names.filter((name) => name !== null);
  const isTimed = fields.some((field) => field === 'timestamp' || field === 'environment');
  return [
    ...(known?.length === 0 ? [] : expand('facts', known === null ? null : [...new Set(known)])),
    ...(isTimed ? expand('factsets', null) : []),
  ];
}

/** Every text at which a clause may name a field. */
function listFields(node: Ast): readonly string[] {
  if (!isList(node)) return [];
  const [operator, ...operands] = node;
  if (operator === 'subquery' || String(operator).startsWith('select_')) return [];
  return operands.flatMap((operand, index) => {
    if (typeof operand === 'string') return index === 0 ? [operand] : [];
    return isList(operand) && isListOfFields(operand) ? operand.map(String) : listFields(operand);
  });
}

function isListOfFields(node: AstList): boolean {
  return node.every((one) => typeof one === 'string') && node.some((one) => !OPERATORS.has(String(node[0])) && one);
}

const OPERATORS: ReadonlySet<string> = new Set(['=', '~', '~>', '<', '>', '<=', '>=', 'in', 'null?', 'function']);

/** The values that a field has in all rows that meet the condition; null when it may have any. */
function valuesOf(condition: Ast, field: string): readonly string[] | null {
  if (!isList(condition)) return null;
  const [operator, first, second] = condition;
  const branches = () => condition.slice(1).map((one) => valuesOf(one, field));
  if (operator === 'and') return branches().find((one) => one !== null) ?? null;
  if (operator === 'or') {
    const all = branches();
    return all.some((one) => one === null) ? null : [...new Set(all.flatMap((one) => one ?? []))];
  }
  if (first !== field) return null;
  if (operator === '=' && typeof second === 'string') return [second];
  const isArray = operator === 'in' && isList(second) && second[0] === 'array' && isList(second[1]);
  return isArray && isList(second[1]) ? second[1].map(String) : null;
}
