import type { DatabaseConnection, InventoryDatabase } from '../database/inventory-database.ts';
import { bind, sql } from '../database/sql.ts';
import { bindTexts } from '../query/plan-values.ts';

/** Data of a node that the inventory has. */
export interface FedNode {
  /** Digest of its facts; null for none. */
  readonly facts: string | null;
  /** Hash of its catalog; null for none. */
  readonly catalog: string | null;
  /** When its newest report was received, in milliseconds; 0 for none. */
  readonly reportsUntil: number;
}

/** The table of what the inventory took of each node. */
export class FedNodes {
  readonly #database: InventoryDatabase;

  constructor(database: InventoryDatabase) {
    this.#database = database;
  }

  /** Returns the records of these nodes; nodes that were never fed have none. */
  async find(certnames: readonly string[]): Promise<ReadonlyMap<string, FedNode>> {
    const rows = await this.#database.transaction((connection) =>
      connection.run(
        sql`select certname, facts, catalog, reports_until from fed_nodes
          where certname = any(${bindTexts(certnames)})`.render(),
      ),
    );
    return new Map(
      rows.map(([certname, facts = null, catalog = null, until]) => [
        String(certname),
        { facts, catalog, reportsUntil: Number(until) },
      ]),
    );
  }

  /** Returns which of these runs the inventory has reports of, by their `transaction_uuid`. */
  async findReports(certnames: readonly string[], transactionUuids: readonly string[]): Promise<ReadonlySet<string>> {
    if (transactionUuids.length === 0) return new Set();
    const rows = await this.#database.transaction((connection) =>
      connection.run(
        sql`select transaction_uuid::text from reports where certname = any(${bindTexts(certnames)})
          and transaction_uuid::text = any(${bindTexts(transactionUuids)})`.render(),
      ),
    );
    return new Set(rows.map(([uuid]) => String(uuid)));
  }

  /** The next nodes after `after`, in order, of which anything was taken. */
  async list(after: string, limit: number): Promise<readonly string[]> {
    const rows = await this.#database.transaction((connection) =>
      connection.run(
        sql`select certname from fed_nodes where certname > ${bind(after)} order by certname
          limit ${bind(String(limit), 'int')}`.render(),
      ),
    );
    return rows.map(([certname]) => String(certname));
  }
}

/** Notes what was taken of a node. */
export async function putFedNode(
  connection: DatabaseConnection,
  certname: string,
  { facts, catalog, reportsUntil }: FedNode,
): Promise<void> {
  await connection.run(
    sql`insert into fed_nodes (certname, facts, catalog, reports_until)
      values (${bind(certname)}, ${bind(facts)}, ${bind(catalog)}, ${bind(String(reportsUntil), 'bigint')})
      on conflict (certname) do update set facts = excluded.facts, catalog = excluded.catalog,
        reports_until = excluded.reports_until`.render(),
  );
}

/** Forgets a node that the server does not have any more. */
export async function deleteFedNode(connection: DatabaseConnection, certname: string): Promise<void> {
  await connection.run(sql`delete from fed_nodes where certname = ${bind(certname)}`.render());
}
