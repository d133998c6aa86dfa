import type { AstList } from '../../../inventory/ast/ast.ts';
import type { KnownParameters } from '../../../inventory/query/query-parameters.ts';
import { decodeForm } from '../../body/read-form.ts';

/** Result that a path below `/pdb/query/v4` names. */
type InventoryTarget = RowsTarget | ItemTarget | ReportPartTarget;

/** Something that must exist: a node, or what else a path names before its last part. */
export interface ParentCheck {
  readonly kind: 'node' | 'catalog' | 'factset' | 'report' | 'environment' | 'producer';
  readonly name: string;
  /** Whether it is looked for before parameters are read. */
  readonly isFirst: boolean;
}

/** Rows of an entity; of all entities for null. */
export interface RowsTarget {
  readonly kind: 'rows';
  readonly entity: string | null;
  readonly known: KnownParameters;
  readonly parent: ParentCheck | null;
  /** Conditions of the path, in the order in which they join the query. */
  readonly conditions: readonly AstList[];
  /** After how many of them the query is restricted to active nodes; null for never. */
  readonly activeAfter: number | null;
}

/** One thing. */
export interface ItemTarget {
  readonly kind: 'item';
  readonly entity: string;
  readonly field: string;
  readonly name: string;
  readonly noun: string;
  readonly known: KnownParameters;
  /** Whether only GET and POST are allowed. */
  readonly isQuery: boolean;
}

/** The logs or metrics of a report. */
interface ReportPartTarget {
  readonly kind: 'report part';
  readonly entity: 'report_logs' | 'report_metrics';
  readonly hash: string;
  readonly known: KnownParameters;
}

const GLOBAL = [
  'optimize_drop_unused_joins',
  'include_facts_expiration',
  'include_package_inventory',
  'explain',
  'origin',
];
const TYPICAL = [...GLOBAL, 'query', 'limit', 'offset', 'order_by', 'include_total', 'pretty'];
const DISTINCT = ['distinct_resources', 'distinct_start_time', 'distinct_end_time'];
const COUNTING = ['counts_filter', 'count_by', ...DISTINCT];

const optional = (...names: readonly string[]): KnownParameters => ({ required: [], optional: names });
const typical = optional(...TYPICAL);
const single = optional(...GLOBAL, 'pretty');

/** Names in paths as PuppetDB's router takes them; others do not match. */
const NAME = /^[\w%.~:-]*$/;

interface Context {
  readonly parent: ParentCheck | null;
  readonly conditions: readonly AstList[];
  readonly known: KnownParameters;
}

const START: Context = { parent: null, conditions: [], known: typical };

/** Finds what the rest of a path below `/pdb/query/v4` asks for; null for an unknown path. */
export function findInventoryTarget(rest: string): InventoryTarget | null {
  if (rest === '') {
    return rows(START, null, { known: { required: ['query'], optional: [...TYPICAL, 'ast_only'] } });
  }
  const [, collection = '', ...segments] = rest.split('/');
  return COLLECTIONS[collection]?.(segments, START) ?? null;
}

type Collection = (segments: readonly string[], context: Context) => InventoryTarget | null;

const SIMPLE: Readonly<Record<string, readonly [entity: string, isActive: boolean]>> = {
  edges: ['edges', true],
  inventory: ['inventory', true],
  packages: ['packages', false],
  'fact-names': ['fact_names', false],
  'fact-contents': ['fact_contents', true],
  'fact-paths': ['fact_paths', false],
  'catalog-input-contents': ['catalog_input_contents', true],
  'catalog-inputs': ['catalog_inputs', true],
};

const COLLECTIONS: Readonly<Record<string, Collection>> = {
  ...Object.fromEntries(
    Object.entries(SIMPLE).map(([name, [entity, isActive]]) => [name, plainRows(entity, isActive)]),
  ),
  facts: (segments, context) => nameRows('facts', ['name', 'value'], segments, context),
  resources: (segments, context) => nameRows('resources', ['type', 'title'], segments, context),
  events: (segments, context) =>
    segments.length > 0 ? null : rows(context, 'events', { known: optional(...TYPICAL, ...DISTINCT) }),
  'event-counts': (segments, context) =>
    segments.length > 0
      ? null
      : rows(context, 'event_counts', {
          known: { required: ['summarize_by'], optional: [...TYPICAL, ...COUNTING] },
        }),
  'aggregate-event-counts': (segments, context) =>
    segments.length > 0
      ? null
      : rows(context, 'aggregate_event_counts', {
          known: { required: ['summarize_by'], optional: [...GLOBAL, 'query', ...COUNTING] },
        }),
  'package-inventory': findPackageInventory,
  nodes: findNode,
  catalogs: findCatalog,
  factsets: findFactset,
  reports: findReport,
  environments: findEnvironmentPath,
  producers: findProducer,
};

function rows(context: Context, entity: string | null, more: Partial<RowsTarget> = {}): RowsTarget {
  const { parent, conditions, known } = context;
  return { kind: 'rows', entity, known, parent, conditions, activeAfter: null, ...more };
}

function plainRows(entity: string, isActive: boolean): Collection {
  return (segments, context) =>
    segments.length > 0 ? null : rows(context, entity, { activeAfter: isActive ? context.conditions.length : null });
}

/** `/facts/NAME/VALUE`, `/resources/TYPE/TITLE` */
function nameRows(
  entity: string,
  fields: readonly string[],
  segments: readonly string[],
  context: Context,
): InventoryTarget | null {
  const names = readNames(segments);
  if (names === null || names.length > fields.length) return null;
  const own = names.map((name, index): AstList => ['=', fields[index] ?? '', name]).reverse();
  const conditions = [...context.conditions, ...own];
  return rows(context, entity, { conditions, activeAfter: context.conditions.length });
}

function readNames(segments: readonly string[]): readonly string[] | null {
  const names = segments.map(readName);
  return names.every((name) => name !== null) ? names : null;
}

/** A part of a path, decoded as a form: `+` is a blank. */
function readName(segment: string): string | null {
  return NAME.test(segment) ? decodeForm(segment) : null;
}

function below(context: Context, parent: ParentCheck, condition: AstList): Context {
  return { ...context, parent, conditions: [...context.conditions, condition] };
}

function findNode(segments: readonly string[], context: Context): InventoryTarget | null {
  if (segments.length === 0) return rows(context, 'nodes', { activeAfter: context.conditions.length });
  const [segment = '', part, ...rest] = segments;
  const name = readName(segment);
  if (name === null) return null;
  if (part === undefined) {
    return { kind: 'item', entity: 'nodes', field: 'certname', name, noun: 'node', known: typical, isQuery: true };
  }
  if (part !== 'facts' && part !== 'resources') return null;
  const parent = { kind: 'node', name, isFirst: false } as const;
  return COLLECTIONS[part]?.(rest, below(context, parent, ['=', 'certname', name])) ?? null;
}

function findCatalog(segments: readonly string[], context: Context): InventoryTarget | null {
  if (segments.length === 0) return rows(context, 'catalogs');
  const [segment = '', part, ...rest] = segments;
  const name = readName(segment);
  if (name === null) return null;
  if (part === undefined) {
    return {
      kind: 'item',
      entity: 'catalogs',
      field: 'certname',
      name,
      noun: 'catalog',
      known: typical,
      isQuery: true,
    };
  }
  if (part !== 'edges' && part !== 'resources') return null;
  const parent = { kind: 'catalog', name, isFirst: false } as const;
  // Differs from Puppet: PuppetDB 7.12 forgets the node on the path of edges.
  return COLLECTIONS[part]?.(rest, below(context, parent, ['=', 'certname', name])) ?? null;
}

function findFactset(segments: readonly string[], context: Context): InventoryTarget | null {
  if (segments.length === 0) return rows(context, 'factsets', { activeAfter: context.conditions.length });
  const [segment = '', part, ...rest] = segments;
  const name = decodeForm(segment);
  if (name === null || segment === '' || rest.length > 0) return null;
  if (part === undefined) {
    return {
      kind: 'item',
      entity: 'factsets',
      field: 'certname',
      name,
      noun: 'factset',
      known: typical,
      isQuery: true,
    };
  }
  const parent = { kind: 'factset', name, isFirst: false } as const;
  return part === 'facts' ? rows(below(context, parent, ['=', 'certname', name]), 'factsets') : null;
}

function findPackageInventory(segments: readonly string[], context: Context): InventoryTarget | null {
  if (segments.length === 0) return rows(context, 'package_inventory', { activeAfter: context.conditions.length });
  const [segment = '', ...rest] = segments;
  const name = decodeForm(segment);
  if (name === null || segment === '' || rest.length > 0) return null;
  return rows(context, 'package_inventory', { conditions: [...context.conditions, ['=', 'certname', name]] });
}

function findReport(segments: readonly string[], context: Context): InventoryTarget | null {
  if (segments.length === 0) return rows(context, 'reports');
  const [segment = '', part, ...rest] = segments;
  const hash = decodeForm(segment);
  if (hash === null || segment === '' || rest.length > 0) return null;
  if (part === 'logs' || part === 'metrics') {
    return { kind: 'report part', entity: part === 'logs' ? 'report_logs' : 'report_metrics', hash, known: single };
  }
  const parent = { kind: 'report', name: hash, isFirst: true } as const;
  return part === 'events' ? (COLLECTIONS.events?.([], below(context, parent, ['=', 'report', hash])) ?? null) : null;
}

function findEnvironmentPath(segments: readonly string[], context: Context): InventoryTarget | null {
  return findNamed('environment', ['facts', 'resources', 'reports', 'events'], segments, context);
}

function findProducer(segments: readonly string[], context: Context): InventoryTarget | null {
  return findNamed('producer', ['factsets', 'catalogs', 'reports'], segments, context);
}

/** `/environments/NAME/…`, `/producers/NAME/…` */
function findNamed(
  noun: 'environment' | 'producer',
  parts: readonly string[],
  segments: readonly string[],
  context: Context,
): InventoryTarget | null {
  const entity = `${noun}s`;
  if (segments.length === 0) return rows(context, entity);
  const [segment = '', part, ...rest] = segments;
  const name = readName(segment);
  if (name === null) return null;
  if (part === undefined) return { kind: 'item', entity, field: 'name', name, noun, known: single, isQuery: false };
  const parent = { kind: noun, name, isFirst: true } as const;
  return parts.includes(part) ? (COLLECTIONS[part]?.(rest, below(context, parent, ['=', noun, name])) ?? null) : null;
}
