import { noteTopicChange } from '../answers/changed-topics.ts';
import type { DatabaseConnection, DatabaseRow } from '../database/inventory-database.ts';
import { bind, type Sql, sql } from '../database/sql.ts';
import { bindTexts } from '../query/plan-values.ts';
import { InvalidPayload, requireTexts } from './payload.ts';

/** Makes a node's packages those of a list of `[name, version, provider]`. */
export async function storePackages(
  connection: DatabaseConnection,
  { id: node, certname }: { readonly id: string; readonly certname: string },
  inventory: readonly unknown[] | null,
): Promise<void> {
  const packages = (inventory ?? []).map(readPackage);
  const column = (index: number) => bindTexts(packages.map((one) => one[index] ?? ''));
  const given = sql`unnest(${column(0)}, ${column(1)}, ${column(2)}) given (name, version, provider)`;
  if (packages.length > 0) {
    await connection.run(
      sql`insert into packages (name, version, provider) select name, version, provider from ${given}
        on conflict (name, version, provider) do nothing`.render(),
    );
  }
  const gone = await connection.run(
    sql`delete from certname_packages where certname_id = ${bind(node, 'int')} and package_id not in
      (select p.id from packages p join ${given} using (name, version, provider)) returning 1`.render(),
  );
  const added = packages.length === 0 ? [] : await addPackages(connection, node, given);
  if (gone.length + added.length > 0) await noteTopicChange(connection, { kind: 'packages', names: [], certname });
}

function addPackages(connection: DatabaseConnection, node: string, given: Sql): Promise<readonly DatabaseRow[]> {
  return connection.run(
    sql`insert into certname_packages (certname_id, package_id)
      select ${bind(node, 'int')}, p.id from packages p join ${given} using (name, version, provider)
      on conflict do nothing returning 1`.render(),
  );
}

function readPackage(one: unknown): readonly string[] {
  const parts = Array.isArray(one) ? requireTexts(one, 'a package') : [];
  if (parts.length !== 3) throw new InvalidPayload('a package must have a name, a version and a provider');
  return parts;
}
