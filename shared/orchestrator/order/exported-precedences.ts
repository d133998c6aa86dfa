import type { ExportedResource } from '../../puppet/catalog/exported.ts';
import { matchesFilter } from '../../puppet/compiler/export-filter.ts';
import { findFilterKeys, listExportKeys } from '../../puppet/compiler/export-keys.ts';
import type { ExportQuery } from '../../puppet/compiler/exported-collection.ts';
import { digestExports, queryText } from '../../store/exports-digest.ts';
import type { NodeRecord } from '../../store/ports/node-record.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { inParallel } from '../../util/in-parallel.ts';
import type { Precedence } from '../jobs/job-order.ts';
import { OrchestratorError } from '../jobs/orchestrator-error.ts';
import type { EnvironmentGraph } from './environment-graph.ts';

const READS_AT_ONCE = 64;
/** Comparisons of an export with a query; a second of work. */
const MOST_COMPARISONS = 5_000_000;
const NO_EXPORTS = digestExports([]);

/** Stores that are read to order nodes by their exports. */
interface OrderStores {
  readonly nodes: Pick<Stores['nodes'], 'get'>;
  readonly exports: Pick<Stores['exports'], 'listOwn'>;
}

/** A query of some nodes, and what others of them export for it. */
export interface ExportMatch {
  readonly query: ExportQuery;
  readonly collectors: readonly string[];
  readonly exports: readonly ExportedResource[];
}

/**
 * Finds what nodes export for each other, by their latest compiles: reads a record for each of the
 * nodes, and the exports of those that have any. Rejects with OrchestratorError when there is too
 * much to compare.
 */
export async function matchExports(
  names: readonly string[],
  { nodes, exports }: OrderStores,
  ignored: EnvironmentGraph['ignoredExports'],
): Promise<readonly ExportMatch[]> {
  if (ignored === 'all' || names.length < 2) return [];
  const records = (await inParallel(READS_AT_ONCE, names, (name) => nodes.get(name))).flatMap((one) => one ?? []);
  const queries = findQueries(records, ignored);
  const types = [...new Set(queries.map(({ query }) => query.type))];
  if (types.length === 0) return [];
  const exporters = records.filter(({ catalog }) => catalog !== null && catalog.exported !== NO_EXPORTS);
  const lists = await inParallel(READS_AT_ONCE, exporters, ({ certname }) => exports.listOwn(certname, types));
  const index = indexExports(lists.flat());
  let comparisons = 0;
  const compared = queries.map(({ query, collectors }) => {
    const candidates = findCandidates(index, query);
    comparisons += candidates.length;
    if (comparisons > MOST_COMPARISONS) throw describeExcess(query.type);
    return { query, collectors, candidates };
  });
  return compared.flatMap(({ query, collectors, candidates }) => {
    const found = candidates.filter((resource) => matchesFilter(resource, query.query));
    return found.length === 0 ? [] : [{ query, collectors, exports: found }];
  });
}

/** Nodes that collect run after those that export for them. */
export function orderByExports(matches: readonly ExportMatch[]): readonly Precedence[] {
  return matches.flatMap(({ query, collectors, exports }) => {
    const before = [...new Set(exports.map(({ certname }) => certname))];
    const isOfItself = before.length === 1 && collectors.length === 1 && before[0] === collectors[0];
    return isOfItself ? [] : [{ before, after: collectors, reason: `it collects ${query.type} resources` }];
  });
}

interface WantedQuery {
  readonly query: ExportQuery;
  readonly collectors: readonly string[];
}

function findQueries(records: readonly NodeRecord[], ignored: readonly string[]): readonly WantedQuery[] {
  const found = new Map<string, { readonly query: ExportQuery; readonly collectors: string[] }>();
  for (const { certname, inputs } of records) {
    for (const { type, query } of inputs?.collectors ?? []) {
      if (ignored.includes(type)) continue;
      const key = queryText({ type, query });
      const known = found.get(key) ?? { query: { type, query }, collectors: [] };
      known.collectors.push(certname);
      found.set(key, known);
    }
  }
  return [...found.values()];
}

/** Exports by type, and by type with each of their keys. */
type ExportIndex = ReadonlyMap<string, readonly ExportedResource[]>;

function indexExports(resources: readonly ExportedResource[]): ExportIndex {
  const index = new Map<string, ExportedResource[]>();
  for (const resource of resources) {
    for (const key of ['', ...listExportKeys(resource)]) {
      const name = `${resource.type} ${key}`;
      const known = index.get(name);
      if (known === undefined) index.set(name, [resource]);
      else known.push(resource);
    }
  }
  return index;
}

function findCandidates(index: ExportIndex, { type, query }: ExportQuery): readonly ExportedResource[] {
  const lists = (findFilterKeys(query) ?? ['']).map((key) => index.get(`${type} ${key}`) ?? []);
  return lists.length === 1 ? (lists[0] ?? []) : [...new Set(lists.flat())];
}

function describeExcess(type: string): OrchestratorError {
  const message =
    `The nodes of the job collect too many exports of ${type} to order them: ` +
    'ignore this type in the environment graph, or run fewer nodes';
  return new OrchestratorError('validation-error', message, { type });
}
