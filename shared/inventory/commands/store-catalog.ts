import { noteTopicChange } from '../answers/changed-topics.ts';
import type { DatabaseConnection } from '../database/inventory-database.ts';
import { bind, sql } from '../database/sql.ts';
import { bindTexts } from '../query/plan-values.ts';
import type { CatalogCommand, CatalogEdge, InventoryResource } from './read-catalog.ts';
import { activateNode, ensureEnvironment, ensureProducer } from './store-names.ts';
import { identify, writeWireJson } from './wire-json.ts';

/** Stores a node's catalog unless a newer one is there. An unchanged one writes its row alone. */
export async function storeCatalog(
  connection: DatabaseConnection,
  catalog: CatalogCommand,
  received: string,
): Promise<void> {
  const node = await activateNode(connection, catalog.certname, catalog.producerTime);
  const [stored] = await connection.run(
    sql`select hash, producer_timestamp > ${bind(catalog.producerTime, 'timestamptz')} from catalogs
      where certname_id = ${bind(node, 'int')}`.render(),
  );
  if (stored?.[1] === 't') return;
  const resources = catalog.resources.map((resource): KeyedResource => ({ ...resource, hash: identify(resource) }));
  const hash = identify([resources.map((resource) => resource.hash).sort(), catalog.edges.map(identify).sort()]);
  await storeCatalogRow(connection, node, catalog, hash, received);
  const { certname } = catalog;
  await noteTopicChange(connection, { kind: 'catalogs', names: [], certname });
  if (stored?.[0] === hash) return;
  const ids = await storeResources(connection, resources);
  const names = await storeMembers(connection, node, [...ids.values()]);
  await noteTopicChange(connection, { kind: 'resources', names, certname });
  const byName = new Map(resources.map((one) => [nameOf(one.type, one.title), ids.get(one.hash) ?? '0']));
  await storeEdges(connection, node, catalog.edges, byName);
}

const nameOf = (type: string, title: string): string => JSON.stringify([type, title]);

async function storeCatalogRow(
  connection: DatabaseConnection,
  node: string,
  catalog: CatalogCommand,
  hash: string,
  received: string,
): Promise<void> {
  const environment = await ensureEnvironment(connection, catalog.environment);
  const producer = await ensureProducer(connection, catalog.producer);
  const columns = `hash = excluded.hash, catalog_version = excluded.catalog_version,
    transaction_uuid = excluded.transaction_uuid, catalog_uuid = excluded.catalog_uuid, code_id = excluded.code_id,
    job_id = excluded.job_id, environment_id = excluded.environment_id, producer_id = excluded.producer_id,
    producer_timestamp = excluded.producer_timestamp, "timestamp" = excluded."timestamp"`;
  const { text, values } = sql`insert into catalogs (certname_id, certname, hash, catalog_version, transaction_uuid,
      catalog_uuid, code_id, job_id, environment_id, producer_id, producer_timestamp, "timestamp")
    values (${bind(node, 'int')}, ${bind(catalog.certname)}, ${bind(hash)}, ${bind(catalog.version)},
      ${bind(catalog.transactionUuid, 'uuid')}, ${bind(catalog.catalogUuid, 'uuid')}, ${bind(catalog.codeId)},
      ${bind(catalog.jobId)}, ${bind(environment, 'int')}, ${bind(producer, 'int')},
      ${bind(catalog.producerTime, 'timestamptz')}, ${bind(received, 'timestamptz')})`.render();
  await connection.run({ text: `${text} on conflict (certname_id) do update set ${columns}`, values });
}

/** Gives the types of resources that the catalog gained or lost. */
async function storeMembers(
  connection: DatabaseConnection,
  node: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  const members = sql`unnest(${bindTexts(ids)}::bigint[])`;
  const typesOf = sql`select distinct type from changed join resources r on r.id = changed.resource_id`;
  const lost = await connection.run(
    sql`with changed as (delete from catalog_resources where certname_id = ${bind(node, 'int')}
      and resource_id not in (select * from ${members}) returning resource_id) ${typesOf}`.render(),
  );
  const gained = await connection.run(
    sql`with changed as (insert into catalog_resources (certname_id, resource_id)
      select ${bind(node, 'int')}, id from ${members} given (id) on conflict do nothing returning resource_id)
      ${typesOf}`.render(),
  );
  return [...new Set([...lost, ...gained].map(([type]) => type ?? ''))];
}

async function storeEdges(
  connection: DatabaseConnection,
  node: string,
  edges: readonly CatalogEdge[],
  ids: ReadonlyMap<string, string>,
): Promise<void> {
  const column = (read: (edge: CatalogEdge) => string) => bindTexts(edges.map(read));
  const sources = column(({ source }) => ids.get(nameOf(source.type, source.title)) ?? '0');
  const targets = column(({ target }) => ids.get(nameOf(target.type, target.title)) ?? '0');
  const given = sql`unnest(${sources}::bigint[], ${targets}::bigint[], ${column(({ relationship }) => relationship)})
    given (source_id, target_id, relationship)`;
  await connection.run(
    sql`delete from edges where certname_id = ${bind(node, 'int')} and (source_id, target_id, relationship) not in
      (select source_id, target_id, relationship from ${given})`.render(),
  );
  await connection.run(
    sql`insert into edges (certname_id, source_id, target_id, relationship)
      select ${bind(node, 'int')}, source_id, target_id, relationship from ${given} on conflict do nothing`.render(),
  );
}

/** A resource with the identity of all that it holds. */
interface KeyedResource extends InventoryResource {
  readonly hash: string;
}

/** Resources of one statement, so that its values stay below some megabytes. */
const PORTION = 500;

/** Adds the resources that no catalog had before; gives the numbers of all, by identity. */
async function storeResources(
  connection: DatabaseConnection,
  resources: readonly KeyedResource[],
): Promise<ReadonlyMap<string, string>> {
  const known = await findResources(connection, resources);
  const missing = resources.filter(({ hash }) => !known.has(hash));
  if (missing.length === 0) return known;
  for (let at = 0; at < missing.length; at += PORTION) await insert(connection, missing.slice(at, at + PORTION));
  return new Map([...known, ...(await findResources(connection, missing))]);
}

async function findResources(
  connection: DatabaseConnection,
  resources: readonly KeyedResource[],
): Promise<ReadonlyMap<string, string>> {
  const hashes = bindTexts(resources.map(({ hash }) => `\\x${hash}`));
  const rows = await connection.run(
    sql`select encode(hash, 'hex'), id from resources where hash = any(${hashes}::bytea[])`.render(),
  );
  return new Map(rows.map(([hash, id]) => [String(hash), String(id)]));
}

async function insert(connection: DatabaseConnection, resources: readonly KeyedResource[]): Promise<void> {
  await connection.run(
    sql`insert into resources (hash, type, title, tags, exported, file, line, parameters)
      select decode(given.hash, 'hex'), given.type, given.title,
        array(select jsonb_array_elements_text(given.tags)), given.exported, given.file, given.line, given.parameters
      from jsonb_to_recordset(${bind(writeWireJson(resources), 'jsonb')}) given (hash text, type text, title text,
        tags jsonb, exported boolean, file text, line integer, parameters jsonb)
      on conflict (hash) do nothing`.render(),
  );
}
