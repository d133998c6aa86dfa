import { statSync } from 'node:fs';
import { ENVIRONMENT_VARIABLES } from '../../config/deployment.ts';
import type { AwsNames } from '../../store/aws/stores.ts';
import { StoreRefused } from '../../store/ports/store-errors.ts';
import type { Stores } from '../../store/ports/stores.ts';

/** Names the state that a command works on. */
export interface StateLocation {
  readonly data?: string;
}

export const DATA_OPTION = [
  '--data <dir>',
  'the data directory; by default, the deployment in AWS that environment variables name, else .understudy',
] as const;

const USUAL_DIRECTORY = '.understudy';

/**
 * Returns the data directory that a command works on: the one that `--data` names; else null if the
 * environment variable of `table` names a deployment in AWS; else `.understudy`. Throws
 * StoreRefused when the directory does not exist: a mistyped name must not create an empty one.
 */
export function dataDirectory(
  { data }: StateLocation,
  variables: AwsNames,
  table: keyof typeof ENVIRONMENT_VARIABLES = 'nodesTable',
): string | null {
  if (data === undefined && variables[ENVIRONMENT_VARIABLES[table]] !== undefined) return null;
  const directory = data ?? USUAL_DIRECTORY;
  if (isThere(directory)) return directory;
  throw new StoreRefused(
    data === undefined
      ? `neither --data nor ${ENVIRONMENT_VARIABLES[table]} is set, and this folder has no '${USUAL_DIRECTORY}'`
      : `data directory '${data}' does not exist; npm start creates it`,
  );
}

function isThere(directory: string): boolean {
  try {
    return statSync(directory, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new StoreRefused(`data directory '${directory}' cannot be used: ${message}`, error);
  }
}

/**
 * Runs `work` on the stores of a data directory, or of the deployment in AWS that the environment
 * variables name. The stores are loaded when a command runs, so that other commands start faster.
 */
export async function withStores(
  where: StateLocation,
  variables: AwsNames,
  work: (stores: Stores) => Promise<void>,
): Promise<void> {
  const directory = dataDirectory(where, variables);
  if (directory === null) {
    const { openAwsStores } = await import('../../store/aws/stores.ts');
    await work(openAwsStores(variables));
    return;
  }
  const { openEmbeddedStores } = await import('../../store/embedded/stores.ts');
  const stores = openEmbeddedStores(directory);
  try {
    await work(stores);
  } finally {
    stores.close();
  }
}
