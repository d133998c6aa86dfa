import { type GroupChange, settleGroups } from '../../fleet/nodes/settle-groups.ts';
import type { Stores } from '../../store/ports/stores.ts';
import type { ClassifierServices } from '../routes/classifier/classifier-endpoint.ts';
import type { RequestLog } from '../services.ts';

/** Builds the services of the classifier's routes. */
export function createClassifierServices(
  stores: Stores,
  { groups, forms }: Pick<ClassifierServices, 'groups' | 'forms'>,
  log: RequestLog,
): ClassifierServices {
  const { nodes, blobs, clock } = stores;
  return { groups, forms, onChanged: invalidateChanged(stores, log), nodes, blobs, clock };
}

/**
 * Invalidates the nodes of changed groups at once, one pass at a time, and once more when groups
 * changed meanwhile. The feeder resumes an unfinished pass. Changes of one pass are noted as one,
 * with the nodes that it invalidated.
 */
function invalidateChanged(stores: Stores, log: RequestLog): (change: GroupChange) => void {
  let isRunning = false;
  let due: GroupChange[] = [];
  const run = async () => {
    for (isRunning = true; due.length > 0; ) {
      const made = due;
      due = [];
      await settle(stores, made).catch((error: unknown) => {
        log.logError('Nodes of changed groups could not be invalidated yet', error);
      });
    }
    isRunning = false;
  };
  return (change) => {
    due.push(change);
    if (!isRunning) void run();
  };
}

async function settle(stores: Stores, changes: readonly GroupChange[]): Promise<void> {
  const users = new Set(changes.map(({ user }) => user));
  const summary = changes.map((change) => change.summary).join('; ');
  await settleGroups(stores, undefined, undefined, { summary, user: [...users].join(', ') });
}
