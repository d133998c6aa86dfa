import {
  catalogInputContents,
  catalogInputs,
  catalogs,
  edges,
  resourceParameters,
  resources,
} from './entities/catalog-entities.ts';
import {
  factContents,
  factNames,
  factPaths,
  facts,
  factsets,
  factsetsWithPackages,
  inventory,
} from './entities/fact-entities.ts';
import {
  environments,
  inactiveNodes,
  latestReport,
  latestReportId,
  nodes,
  nodesWithFactExpiration,
  notActiveNodes,
  packageInventory,
  packages,
  producers,
} from './entities/node-entities.ts';
import { events, reportLogs, reportMetrics, reports } from './entities/report-entities.ts';
import type { Entity } from './entity.ts';

const TOP_LEVEL: ReadonlyMap<string, Entity> = new Map([
  ['catalogs', catalogs],
  ['catalog_input_contents', catalogInputContents],
  ['catalog_inputs', catalogInputs],
  ['edges', edges],
  ['environments', environments],
  ['producers', producers],
  ['packages', packages],
  ['package_inventory', packageInventory],
  ['events', events],
  ['facts', facts],
  ['fact_names', factNames],
  ['factsets', factsets],
  ['fact_contents', factContents],
  ['fact_paths', factPaths],
  ['nodes', nodes],
  ['reports', reports],
  ['report_logs', reportLogs],
  ['report_metrics', reportMetrics],
  ['inventory', inventory],
  ['resources', resources],
]);

/** The entities that only a query as a whole may name. */
const NO_SUBQUERIES: ReadonlySet<Entity> = new Set([factNames, reportLogs, reportMetrics]);

/** By operator, as `select_facts`. */
const SUBQUERIES: ReadonlyMap<string, Entity> = new Map([
  ...Array.from(TOP_LEVEL, ([name, entity]) => [`select_${name}`, entity] as const).filter(
    ([, entity]) => !NO_SUBQUERIES.has(entity),
  ),
  ['select_not_active_nodes', notActiveNodes],
  ['select_inactive_nodes', inactiveNodes],
  ['select_latest_report', latestReport],
  ['select_latest_report_id', latestReportId],
  ['select_params', resourceParameters],
]);

/** The entity of a subquery operator, as `select_facts`. */
export function findSubquery(operator: unknown): Entity | undefined {
  return typeof operator === 'string' ? SUBQUERIES.get(operator) : undefined;
}

/** Options that choose fuller forms of entities. */
interface EntityOptions {
  readonly includesFactExpiration?: boolean;
  readonly includesPackages?: boolean;
}

/** The entity that a query's `from` names, with either of `-` and `_`. */
export function findEntity(name: string, options: EntityOptions = {}): Entity | undefined {
  const known = name.replaceAll('-', '_');
  if (known === 'nodes' && options.includesFactExpiration === true) return nodesWithFactExpiration;
  if (known === 'factsets' && options.includesPackages === true) return factsetsWithPackages;
  return TOP_LEVEL.get(known);
}
