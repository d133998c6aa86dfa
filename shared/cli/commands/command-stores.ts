import { statSync } from 'node:fs';
import { ENVIRONMENT_VARIABLES } from '../../config/deployment.ts';
import type { AwsNames } from '../../store/aws/stores.ts';
import { StoreRefused } from '../../store/ports/store-errors.ts';
import type { Stores } from '../../store/ports/stores.ts';

/** Where a command finds the state. */
export interface StateLocation {
  readonly data?: string;
}

export const DATA_OPTION = [
  '--data <dir>',
  'a data directory; else the deployment that the environment names, or .understudy',
] as const;

const USUAL_DIRECTORY = '.understudy';

/**
 * The data directory that a command works on: the one it names, else null where `table`, an
 * environment variable, tells of a deployment in AWS, else `.understudy`. Throws StoreRefused when
 * there is no such directory: a mistyped name must not make an empty one.
 */
export function dataDirectory(
  { data }: StateLocation,
  variables: AwsNames,
  table: keyof typeof ENVIRONMENT_VARIABLES = 'nodesTable',
): string | null {
  if (data === undefined && variables[ENVIRONMENT_VARIABLES[table]] !== undefined) return null;
  const directory = data ?? USUAL_DIRECTORY;
  if (statSync(directory, { throwIfNoEntry: false }) !== undefined) return directory;
  throw new StoreRefused(
    data === undefined
      ? `neither --data nor ${ENVIRONMENT_VARIABLES[table]} says where the state is, and there is no '${USUAL_DIRECTORY}' here`
      : `data directory '${data}' does not exist; npm start makes it`,
  );
}

/**
 * Runs `work` on the stores of a data directory, or of the deployment in AWS that the environment
 * variables name. What commands work with is loaded when one of them runs: other commands start
 * sooner.
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
