import { VARIABLES } from '../config/deployment.ts';
import type { AwsNames } from '../store/aws/stores.ts';
import { StoreRefused, type Stores } from '../store/ports.ts';

/** Where a command finds the state. */
export interface Where {
  readonly data?: string;
}

export const DATA_OPTION = [
  '--data <dir>',
  'a data directory; without it the deployment that the environment names',
] as const;

/**
 * Runs `work` on the stores of a data directory, or without one on those of the deployment in AWS that the environment variables name.
 * What commands work with is loaded when one of them runs: other commands start sooner.
 */
export async function withStores(
  { data }: Where,
  variables: AwsNames,
  work: (stores: Stores) => Promise<void>,
): Promise<void> {
  if (data === undefined) {
    if (variables[VARIABLES.nodesTable] === undefined) {
      throw new StoreRefused(`neither --data nor ${VARIABLES.nodesTable} says where the state is`);
    }
    const { openAwsStores } = await import('../store/aws/stores.ts');
    await work(openAwsStores(variables));
    return;
  }
  const { openEmbeddedStores } = await import('../store/embedded/stores.ts');
  const stores = openEmbeddedStores(data);
  try {
    await work(stores);
  } finally {
    stores.close();
  }
}
