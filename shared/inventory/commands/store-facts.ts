import { matchBlockedFacts } from '../../config/fact-settings.ts';
import { noteTopicChange } from '../answers/changed-topics.ts';
import type { DatabaseConnection, DatabaseRow } from '../database/inventory-database.ts';
import { bind, type Sql, sql } from '../database/sql.ts';
import { bindTexts } from '../query/plan-values.ts';
import { type FactPathRow, listFactPaths } from './fact-path-list.ts';
import { InvalidPayload, optionalText, requireMap, requireText, requireTexts, requireWireTime } from './payload.ts';
import { activateNode, ensureEnvironment, ensureProducer } from './store-names.ts';
import { identify, readWireJson, type WireMap, writeSortedJson, writeWireJson } from './wire-json.ts';

interface FactsCommand {
  readonly certname: string;
  readonly values: WireMap;
  readonly environment: string | null;
  readonly producer: string | null;
  readonly producerTime: string;
  readonly packages: readonly unknown[] | null;
}

/**
 * Checks the payload of `replace facts`, versions 4 and 5, and leaves out blocked facts. Throws
 * InvalidPayload.
 */
export function readFactsCommand(payload: unknown, blocked: readonly string[]): FactsCommand {
  const map = requireMap(payload, 'facts');
  const packages = map.package_inventory ?? null;
  if (packages !== null && !Array.isArray(packages)) throw new InvalidPayload("'package_inventory' must be an array");
  return {
    certname: requireText(map, 'certname'),
    values: withoutBlocked(requireMap(map.values, "'values'"), blocked),
    environment: optionalText(map, 'environment'),
    producer: optionalText(map, 'producer'),
    producerTime: requireWireTime(map, 'producer_timestamp'),
    packages,
  };
}

function withoutBlocked(values: WireMap, blocked: readonly string[]): WireMap {
  if (blocked.length === 0) return values;
  const isBlocked = matchBlockedFacts(blocked);
  return Object.fromEntries(Object.entries(values).filter(([name]) => !isBlocked(name)));
}

interface StoredFacts {
  readonly hash: string;
  readonly pathsHash: string;
}

/**
 * Stores a node's facts unless newer ones are there. Facts that did not change are not written:
 * those that change move into a document of their own, which alone is written from then on.
 */
export async function storeFactset(
  connection: DatabaseConnection,
  facts: FactsCommand,
  received: string,
): Promise<void> {
  const node = await activateNode(connection, facts.certname, facts.producerTime);
  const [stored] = await connection.run(
    sql`select hash, paths_hash, producer_timestamp > ${bind(facts.producerTime, 'timestamptz')}
      from factsets where certname_id = ${bind(node, 'int')}`.render(),
  );
  if (stored?.[2] === 't') return;
  const hash = identify(facts.values);
  await noteTopicChange(connection, { kind: 'factsets', names: [], certname: facts.certname });
  if (stored === undefined) await addFacts(connection, node, facts, hash, received);
  else {
    const known = { hash: String(stored[0]), pathsHash: String(stored[1]) };
    await updateFacts(connection, node, facts, hash, received, known);
  }
  await storePackages(connection, { id: node, certname: facts.certname }, facts.packages);
}

async function addFacts(
  connection: DatabaseConnection,
  node: string,
  facts: FactsCommand,
  hash: string,
  received: string,
): Promise<void> {
  const paths = listFactPaths(facts.values);
  await insertPaths(connection, paths);
  await noteTopicChange(connection, { kind: 'facts', names: Object.keys(facts.values), certname: facts.certname });
  const environment = await ensureEnvironment(connection, facts.environment);
  const producer = await ensureProducer(connection, facts.producer);
  await connection.run(
    sql`insert into factsets (certname_id, certname, "timestamp", environment_id, producer_id, producer_timestamp,
        hash, stable, volatile, paths_hash)
      values (${bind(node, 'int')}, ${bind(facts.certname)}, ${bind(received, 'timestamptz')},
        ${bind(environment, 'int')}, ${bind(producer, 'int')}, ${bind(facts.producerTime, 'timestamptz')},
        ${bind(hash)}, ${bind(writeWireJson(facts.values), 'jsonb')}, '{}', ${bind(hashPaths(paths))})`.render(),
  );
}

async function updateFacts(
  connection: DatabaseConnection,
  node: string,
  facts: FactsCommand,
  hash: string,
  received: string,
  known: StoredFacts,
): Promise<void> {
  const changes = known.hash === hash ? sql`` : await planChanges(connection, node, facts, hash, known.pathsHash);
  const environment = await ensureEnvironment(connection, facts.environment);
  const producer = await ensureProducer(connection, facts.producer);
  await connection.run(
    sql`update factsets set "timestamp" = ${bind(received, 'timestamptz')}, environment_id = ${bind(environment, 'int')},
        producer_id = ${bind(producer, 'int')}, producer_timestamp = ${bind(facts.producerTime, 'timestamptz')}${changes}
      where certname_id = ${bind(node, 'int')}`.render(),
  );
}

/** The columns to write for changed facts: the stable document only when it loses or gains some. */
async function planChanges(
  connection: DatabaseConnection,
  node: string,
  { values, certname }: FactsCommand,
  hash: string,
  knownPaths: string,
): Promise<Sql> {
  const [row] = await connection.run(
    sql`select stable, volatile from factsets where certname_id = ${bind(node, 'int')}`.render(),
  );
  const [before, changing] = [readDocument(row?.[0]), readDocument(row?.[1])];
  const stable: Record<string, unknown> = {};
  const volatile: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const isChanged = Object.hasOwn(before, name) && writeSortedJson(before[name]) !== writeSortedJson(value);
    (isChanged || Object.hasOwn(changing, name) ? volatile : stable)[name] = value;
  }
  await noteTopicChange(connection, {
    kind: 'facts',
    names: listChanged({ ...before, ...changing }, values),
    certname,
  });
  const isStableSame =
    Object.keys(stable).length === Object.keys(before).length && identify(stable) === identify(before);
  const document = isStableSame ? sql`` : sql`, stable = ${bind(writeWireJson(stable), 'jsonb')}`;
  const paths = listFactPaths(values);
  const pathsHash = hashPaths(paths);
  if (pathsHash !== knownPaths) await insertPaths(connection, paths);
  return sql`, hash = ${bind(hash)}, paths_hash = ${bind(pathsHash)},
    volatile = ${bind(writeWireJson(volatile), 'jsonb')}${document}`;
}

function listChanged(before: WireMap, after: WireMap): readonly string[] {
  return Object.keys({ ...before, ...after }).filter((name) => {
    const isInBoth = Object.hasOwn(before, name) && Object.hasOwn(after, name);
    return !isInBoth || writeSortedJson(before[name]) !== writeSortedJson(after[name]);
  });
}

function readDocument(text: string | null | undefined): WireMap {
  return requireMap(readWireJson(text ?? '{}'), 'the stored facts');
}

function hashPaths(paths: readonly FactPathRow[]): string {
  return identify(paths.map(({ path, type }) => `${path} ${type}`).sort());
}

async function insertPaths(connection: DatabaseConnection, paths: readonly FactPathRow[]): Promise<void> {
  if (paths.length === 0) return;
  const column = (read: (row: FactPathRow) => string) => bindTexts(paths.map(read));
  await connection.run(
    sql`insert into fact_paths (path, path_array, name, depth, value_type)
      select path, path_array::jsonb, name, depth::int, type
      from unnest(${column((row) => row.path)}, ${column((row) => row.pathArray)}, ${column((row) => row.name)},
        ${column((row) => String(row.depth))}, ${column((row) => row.type)}) given (path, path_array, name, depth, type)
      where not exists (select from fact_paths fp where fp.path = given.path and fp.value_type = given.type)
      on conflict (path, value_type) do nothing`.render(),
  );
}

/** Makes a node's packages those of a list of `[name, version, provider]`. */
async function storePackages(
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
