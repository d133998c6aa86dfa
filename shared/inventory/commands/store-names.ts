import { noteTopicChange } from '../answers/changed-topics.ts';
import type { DatabaseConnection } from '../database/inventory-database.ts';
import { bind, sql } from '../database/sql.ts';

/** The number of a node. A node that was deactivated or expired before `time` is active again. */
export async function activateNode(connection: DatabaseConnection, certname: string, time: string): Promise<string> {
  const known = await connection.run(
    sql`select id, (deactivated is null or deactivated >= ${bind(time, 'timestamptz')})
      and (expired is null or expired >= ${bind(time, 'timestamptz')}) from certnames
      where certname = ${bind(certname)}`.render(),
  );
  const [id, isCurrent] = known[0] ?? [];
  if (id === undefined || id === null) return ensureNode(connection, certname);
  if (isCurrent !== 't') {
    await connection.run(
      sql`update certnames set deactivated = null, expired = null where id = ${bind(id, 'int')}`.render(),
    );
    await noteTopicChange(connection, { kind: 'nodes', names: [], certname });
  }
  return id;
}

/** The number of a node, which is added when it is new. */
export async function ensureNode(connection: DatabaseConnection, certname: string): Promise<string> {
  const added = await connection.run(
    sql`insert into certnames (certname) values (${bind(certname)}) on conflict (certname) do nothing
      returning id`.render(),
  );
  if (added.length > 0) await noteTopicChange(connection, { kind: 'nodes', names: [], certname });
  const rows = await connection.run(sql`select id from certnames where certname = ${bind(certname)}`.render());
  return String(rows[0]?.[0]);
}

/** The number of an environment, which is added when it is new; null without a name. */
export async function ensureEnvironment(connection: DatabaseConnection, name: string | null): Promise<string | null> {
  if (name === null) return null;
  const find = sql`select id from environments where environment = ${bind(name)}`.render();
  const [known] = await connection.run(find);
  if (known !== undefined) return known[0] ?? null;
  await connection.run(
    sql`insert into environments (environment) values (${bind(name)}) on conflict (environment) do nothing`.render(),
  );
  return (await connection.run(find))[0]?.[0] ?? null;
}

/** The number of a producer, which is added when it is new; null without a name. */
export async function ensureProducer(connection: DatabaseConnection, name: string | null): Promise<string | null> {
  if (name === null) return null;
  const find = sql`select id from producers where name = ${bind(name)}`.render();
  const [known] = await connection.run(find);
  if (known !== undefined) return known[0] ?? null;
  await connection.run(sql`insert into producers (name) values (${bind(name)}) on conflict (name) do nothing`.render());
  return (await connection.run(find))[0]?.[0] ?? null;
}
