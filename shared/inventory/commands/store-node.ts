import { noteTopicChange } from '../answers/changed-topics.ts';
import type { DatabaseConnection } from '../database/inventory-database.ts';
import { bind, sql } from '../database/sql.ts';
import { bindTexts } from '../query/plan-values.ts';
import {
  InvalidPayload,
  optionalUuid,
  requireList,
  requireMap,
  requireText,
  requireTexts,
  requireWireTime,
} from './payload.ts';
import { activateNode, ensureNode } from './store-names.ts';
import { identify, type WireMap } from './wire-json.ts';

/** The producer's time of a command that may leave it out: then that of receipt. */
function timeOf(map: WireMap, received: string): string {
  return (map.producer_timestamp ?? null) === null ? received : requireWireTime(map, 'producer_timestamp');
}

/** `deactivate node`: ignored when anything newer is stored of the node. */
export async function deactivateNode(
  connection: DatabaseConnection,
  payload: unknown,
  received: string,
): Promise<void> {
  const map = requireMap(payload, 'the payload');
  const time = bind(timeOf(map, received), 'timestamptz');
  const certname = requireText(map, 'certname');
  const node = bind(await ensureNode(connection, certname), 'int');
  await noteTopicChange(connection, { kind: 'nodes', names: [], certname });
  await connection.run(
    sql`update certnames set deactivated = ${time} where id = ${node}
      and (deactivated is null or deactivated < ${time})
      and not exists (select from catalogs where certname_id = ${node} and producer_timestamp > ${time})
      and not exists (select from factsets where certname_id = ${node} and producer_timestamp > ${time})
      and (latest_report_timestamp is null or latest_report_timestamp <= ${time})`.render(),
  );
}

/** `configure expiration`: whether a node with old facts expires. */
export async function configureExpiration(
  connection: DatabaseConnection,
  payload: unknown,
  received: string,
): Promise<void> {
  const map = requireMap(payload, 'the payload');
  const expires = requireMap(map.expire, "'expire'").facts;
  if (typeof expires !== 'boolean') throw new InvalidPayload("'facts' must be a boolean");
  const time = timeOf(map, received);
  const node = await activateNode(connection, requireText(map, 'certname'), time);
  await connection.run(
    sql`insert into certname_fact_expiration (certname_id, expire, updated)
      values (${bind(node, 'int')}, ${bind(String(expires), 'boolean')}, ${bind(time, 'timestamptz')})
      on conflict (certname_id) do update set expire = excluded.expire, updated = excluded.updated
        where excluded.updated > certname_fact_expiration.updated`.render(),
  );
}

/** `replace catalog inputs`: what the newest catalog was compiled from. */
export async function storeCatalogInputs(
  connection: DatabaseConnection,
  payload: unknown,
  received: string,
): Promise<void> {
  const map = requireMap(payload, 'the payload');
  const inputs = requireList(map, 'inputs').map(readInput);
  if (inputs.length === 0) return;
  const time = timeOf(map, received);
  const node = await activateNode(connection, requireText(map, 'certname'), time);
  const hash = identify(inputs.map((input) => input.join(' ')).sort());
  const [stored] = await connection.run(
    sql`select catalog_inputs_hash, catalog_inputs_timestamp >= ${bind(time, 'timestamptz')} from certnames
      where id = ${bind(node, 'int')}`.render(),
  );
  if (stored?.[1] === 't') return;
  if (stored?.[0] !== hash) await replaceInputs(connection, node, inputs);
  await connection.run(
    sql`update certnames set catalog_inputs_timestamp = ${bind(time, 'timestamptz')},
        catalog_inputs_uuid = ${bind(optionalUuid(map, 'catalog_uuid'), 'uuid')}, catalog_inputs_hash = ${bind(hash)}
      where id = ${bind(node, 'int')}`.render(),
  );
}

async function replaceInputs(
  connection: DatabaseConnection,
  node: string,
  inputs: readonly (readonly string[])[],
): Promise<void> {
  const column = (index: number) => bindTexts(inputs.map((input) => input[index] ?? ''));
  await connection.run(sql`delete from catalog_inputs where certname_id = ${bind(node, 'int')}`.render());
  await connection.run(
    sql`insert into catalog_inputs (certname_id, type, name)
      select ${bind(node, 'int')}, type, name from unnest(${column(0)}, ${column(1)}) given (type, name)
      on conflict do nothing`.render(),
  );
}

function readInput(value: unknown): readonly string[] {
  const parts = Array.isArray(value) ? requireTexts(value, 'an input') : [];
  if (parts.length !== 2) throw new InvalidPayload('an input must have a type and a name');
  return parts;
}
