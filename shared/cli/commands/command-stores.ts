import { statSync } from 'node:fs';
import { ENVIRONMENT_VARIABLES } from '../../config/deployment.ts';
import { variableOf } from '../../config/read-setting.ts';
import type { AwsNames } from '../../store/aws/stores.ts';
import { StoreRefused } from '../../store/ports/store-errors.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { isDatabaseUrl } from '../../store/postgres/place.ts';

/** Names the state that a command works on. */
export interface StateLocation {
  readonly data?: string;
}

export const DATA_OPTION = [
  '--data <dir>',
  'the data directory, or the address of the database that servers share (postgresql://…); by default, what environment variables name: a database, a deployment in AWS; else .understudy',
] as const;

const USUAL_DIRECTORY = '.understudy';
const COMMAND_CONNECTIONS = 4;

/** The place of the state that a command works on; null: AWS. */
type StatePlace = { readonly directory: string } | { readonly database: string; readonly directory: string } | null;

/**
 * Returns the place that `--data` names; else the database of `UNDERSTUDY_DATABASE`; else null if
 * the environment variable of `table` names a deployment in AWS; else `.understudy`. Throws
 * StoreRefused when the directory does not exist: a mistyped name must not create an empty one.
 */
function findPlace(
  { data }: StateLocation,
  variables: AwsNames,
  table: keyof typeof ENVIRONMENT_VARIABLES = 'nodesTable',
): StatePlace {
  const database = data ?? variables[variableOf('database')];
  if (database !== undefined && isDatabaseUrl(database)) {
    return { database, directory: variables[variableOf('data')] ?? USUAL_DIRECTORY };
  }
  if (data === undefined && variables[ENVIRONMENT_VARIABLES[table]] !== undefined) return null;
  const directory = data ?? USUAL_DIRECTORY;
  if (isThere(directory)) return { directory };
  throw new StoreRefused(
    data === undefined
      ? `neither --data nor ${ENVIRONMENT_VARIABLES[table]} is set, and this folder has no '${USUAL_DIRECTORY}'`
      : `data directory '${data}' does not exist; npm start creates it`,
  );
}

/**
 * Returns the data directory that a command works on; null for stores that several servers share: a
 * database, or a deployment in AWS. Throws like `findPlace`.
 */
export function dataDirectory(
  where: StateLocation,
  variables: AwsNames,
  table?: keyof typeof ENVIRONMENT_VARIABLES,
): string | null {
  const place = findPlace(where, variables, table);
  return place === null || 'database' in place ? null : place.directory;
}

function isThere(directory: string): boolean {
  try {
    return statSync(directory, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new StoreRefused(`data directory '${directory}' cannot be used: ${message}`, error);
  }
}

/** Stores of a command, and the folder with their key files; null in AWS. */
interface OpenStores {
  readonly stores: Stores;
  readonly directory: string | null;
  /** Whether a key file is made when none is there. */
  readonly makesKeys: boolean;
  close(): void | Promise<void>;
}

/** Opens the stores that a command works on. Throws like `findPlace`. */
export async function openCommandStores(
  where: StateLocation,
  variables: AwsNames,
  table?: keyof typeof ENVIRONMENT_VARIABLES,
): Promise<OpenStores> {
  const place = findPlace(where, variables, table);
  if (place === null) {
    const { openAwsStores } = await import('../../store/aws/stores.ts');
    return { stores: openAwsStores(variables), directory: null, makesKeys: false, close: () => {} };
  }
  const { directory } = place;
  if (!('database' in place)) {
    const { openEmbeddedStores } = await import('../../store/embedded/stores.ts');
    const stores = openEmbeddedStores(directory);
    return { stores, directory, makesKeys: true, close: () => stores.close() };
  }
  const { openPostgresStores } = await import('../../store/postgres/stores.ts');
  const [keyFile, bucket] = [variables[variableOf('keyFile')], variables[variableOf('blobs')]];
  const options = { directory, keyFile, bucket, connections: COMMAND_CONNECTIONS, isCommand: true };
  const stores = await openPostgresStores(place.database, options);
  return { stores, directory, makesKeys: false, close: () => stores.close() };
}

/**
 * Runs `work` on the stores of a data directory, of a database, or of the deployment in AWS that
 * the environment variables name. The stores are loaded when a command runs, so that other
 * commands start faster.
 */
export async function withStores(
  where: StateLocation,
  variables: AwsNames,
  work: (stores: Stores) => Promise<void>,
): Promise<void> {
  const { stores, close } = await openCommandStores(where, variables);
  try {
    await work(stores);
  } finally {
    await close();
  }
}
