import type { GroupService } from '../fleet/groups/group-service.ts';
import { settleGroups } from '../fleet/nodes/settle-groups.ts';
import type { Stores } from '../store/ports/stores.ts';
import type { ClassifierServices } from './routes/classifier/classifier-endpoint.ts';
import type { RequestLog } from './services.ts';

/** What the classifier's routes need of a front door. */
export function createClassifierServices(stores: Stores, groups: GroupService, log: RequestLog): ClassifierServices {
  const { nodes, blobs, clock } = stores;
  return { groups, onChanged: tellGroups(stores, log), nodes, blobs, clock };
}

/**
 * Tells the nodes of changed groups at once, one pass at a time, and once more when groups changed
 * meanwhile. What a pass leaves, the feeder resumes.
 */
function tellGroups(stores: Stores, log: RequestLog): () => void {
  let isRunning = false;
  let isDue = false;
  const tell = async () => {
    for (isRunning = true; isDue; ) {
      isDue = false;
      await settleGroups(stores).catch((error: unknown) => {
        log.logError('Nodes could not be told of changed groups yet', error);
      });
    }
    isRunning = false;
  };
  return () => {
    isDue = true;
    if (!isRunning) void tell();
  };
}
