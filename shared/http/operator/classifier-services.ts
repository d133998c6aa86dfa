import type { GroupService } from '../../fleet/groups/group-service.ts';
import { type GroupChange, settleGroups } from '../../fleet/nodes/settle-groups.ts';
import type { Stores } from '../../store/ports/stores.ts';
import type { ClassifierServices } from '../routes/classifier/classifier-endpoint.ts';
import type { RequestLog } from '../services.ts';

/** What the classifier's routes need of a front door. */
export function createClassifierServices(stores: Stores, groups: GroupService, log: RequestLog): ClassifierServices {
  const { nodes, blobs, clock } = stores;
  return { groups, onChanged: tellGroups(stores, log), nodes, blobs, clock };
}

/**
 * Tells the nodes of changed groups at once, one pass at a time, and once more when groups changed
 * meanwhile. What a pass leaves, the feeder resumes. Changes of one pass are noted as one, with the
 * nodes that it told.
 */
function tellGroups(stores: Stores, log: RequestLog): (change: GroupChange) => void {
  let isRunning = false;
  let due: GroupChange[] = [];
  const tell = async () => {
    for (isRunning = true; due.length > 0; ) {
      const made = due;
      due = [];
      await settle(stores, made).catch((error: unknown) => {
        log.logError('Nodes could not be told of changed groups yet', error);
      });
    }
    isRunning = false;
  };
  return (change) => {
    due.push(change);
    if (!isRunning) void tell();
  };
}

async function settle(stores: Stores, changes: readonly GroupChange[]): Promise<void> {
  const users = new Set(changes.map(({ user }) => user));
  const summary = changes.map((change) => change.summary).join('; ');
  await settleGroups(stores, undefined, undefined, { summary, user: [...users].join(', ') });
}
