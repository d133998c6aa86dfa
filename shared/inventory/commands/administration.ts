import { noteTopicChange } from '../answers/changed-topics.ts';
import type { DatabaseConnection, InventoryDatabase } from '../database/inventory-database.ts';
import { bind, sql } from '../database/sql.ts';
import { type InventoryRetention, maintainInventory } from './maintenance.ts';
import { deleteReportsOf } from './report-days.ts';

/** The steps of a pass that can be asked for one by one, with PuppetDB's names. */
export type CleaningStep = 'expire_nodes' | 'purge_nodes' | 'purge_reports' | 'gc_packages' | 'other';

/** Figures of the population, for metrics. */
export interface Population {
  readonly nodes: number;
  readonly resources: number;
  readonly resourcesPerNode: number;
  /** The share of a catalog's resources that another catalog has, too: 0 to 1. */
  readonly duplicates: number;
}

/** The work of an operator with an inventory, besides queries and commands. */
export interface InventoryAdministration {
  /** Runs these steps now, or all; false when a pass is under way here. */
  clean(steps: readonly CleaningStep[]): Promise<boolean>;
  /** Deletes all data of a node. */
  deleteNode(certname: string): Promise<void>;
  /** Statistics of PostgreSQL about its tables and indexes: JSON text. */
  summarize(): Promise<string>;
  readPopulation(): Promise<Population>;
}

interface AdministrationOptions {
  readonly database: InventoryDatabase;
  readonly retention: InventoryRetention;
  readonly now: () => number;
}

/** Administers a database. */
export function createAdministration({ database, retention, now }: AdministrationOptions): InventoryAdministration {
  let isCleaning = false;
  return {
    async clean(steps) {
      if (isCleaning) return false;
      isCleaning = true;
      try {
        const has = (step: CleaningStep) => steps.length === 0 || steps.includes(step);
        await maintainInventory(
          database,
          {
            nodeMs: has('expire_nodes') ? retention.nodeMs : null,
            purgeMs: has('purge_nodes') ? retention.purgeMs : null,
            reportMs: has('purge_reports') ? retention.reportMs : null,
          },
          now(),
        );
        return true;
      } finally {
        isCleaning = false;
      }
    },
    deleteNode: (certname) => database.transaction((connection) => deleteNode(connection, certname)),
    summarize: () => database.transaction(summarize),
    readPopulation: () => database.transaction(readPopulation),
  };
}

async function deleteNode(connection: DatabaseConnection, certname: string): Promise<void> {
  const name = bind(certname);
  await connection.run(sql`delete from fed_nodes where certname = ${name}`.render());
  await deleteReportsOf(connection, sql`select certname from certnames where certname = ${name}`);
  await connection.run(sql`delete from certnames where certname = ${name}`.render());
  await noteTopicChange(connection, { kind: 'nodes', names: [], certname });
}

/** PuppetDB's names of the parts, and the statement of each. */
const SUMMARIES: Readonly<Record<string, string>> = {
  table_usage: 'select * from pg_stat_user_tables',
  index_usage: 'select * from pg_stat_user_indexes',
  database_usage: 'select * from pg_stat_database where datname = current_database()',
  node_activity: `select count(*) filter (where deactivated is null and expired is null) as active,
    count(*) filter (where deactivated is not null or expired is not null) as inactive from certnames`,
  num_resources_per_node: `select certname, count(*) from catalog_resources
    join catalogs on catalogs.certname_id = catalog_resources.certname_id
    group by certname order by count desc limit 100`,
};

async function summarize(connection: DatabaseConnection): Promise<string> {
  const parts: string[] = [];
  for (const [name, statement] of Object.entries(SUMMARIES)) {
    const text = `select coalesce(json_agg(rows), '[]') from (${statement}) rows`;
    const [row] = await connection.run({ text, values: [] });
    parts.push(`${JSON.stringify(name)}:${row?.[0] ?? '[]'}`);
  }
  return `{${parts.join(',')}}`;
}

async function readPopulation(connection: DatabaseConnection): Promise<Population> {
  const text = `select (select count(*) from certnames where deactivated is null and expired is null),
    (select count(*) from catalog_resources), (select count(distinct resource_id) from catalog_resources)`;
  const [row] = await connection.run({ text, values: [] });
  const [nodes = 0, resources = 0, different = 0] = (row ?? []).map(Number);
  return {
    nodes,
    resources,
    resourcesPerNode: nodes === 0 ? 0 : resources / nodes,
    duplicates: resources === 0 ? 0 : (resources - different) / resources,
  };
}
