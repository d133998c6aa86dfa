import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClassLists, DeclaredClasses } from '../../shared/fleet/groups/class-lists.ts';
import { GroupService } from '../../shared/fleet/groups/group-service.ts';
import type { ClassifierServices } from '../../shared/http/routes/classifier/classifier-endpoint.ts';
import { type EmbeddedStores, openEmbeddedStores } from '../../shared/store/embedded/stores.ts';
import type { Clock } from '../../shared/store/ports/clock.ts';
import { type AccessDoor, openAccessDoor } from './access-door.ts';
import { CountingSecrets, openAccessWorld } from './access-world.ts';
import { MemoryBlobs } from './memory-stores.ts';

/** Parameters by class and environment. */
export type ListedClasses = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** Class lists that a test writes. */
export function listClasses(classes: ListedClasses): ClassLists {
  const declare = (parameters: readonly string[]) => new Map(parameters.map((name) => [name, null]));
  return {
    find: async (environment): Promise<DeclaredClasses | null> => {
      const listed = classes[environment];
      return listed ? new Map(Object.entries(listed).map(([name, parameters]) => [name, declare(parameters)])) : null;
    },
    listEnvironments: async () => Object.keys(classes).map((name) => ({ name, deployedAt: 1_795_000_000_000 })),
  };
}

/** No class has a form. */
export const NO_FORMS: ClassifierServices['forms'] = { describe: async () => null, check: async () => [] };

/** The classifier's and the access API, over embedded stores. */
export interface ClassifierDoor extends AccessDoor {
  readonly stores: EmbeddedStores;
  readonly groups: GroupService;
  readonly blobs: MemoryBlobs;
  /** How often groups changed. */
  readonly changes: () => number;
}

/**
 * Stores whose database is already unlinked: it disappears with the process. They keep no blobs.
 */
export function openUnlinkedStores(clock: Clock): EmbeddedStores {
  const directory = mkdtempSync(join(tmpdir(), 'understudy-groups-'));
  const stores = openEmbeddedStores(directory, { clock });
  rmSync(directory, { recursive: true });
  return stores;
}

export function openClassifierDoor(
  classes: ListedClasses,
  forms: ClassifierServices['forms'] = NO_FORMS,
): ClassifierDoor {
  const world = openAccessWorld();
  const stores = openUnlinkedStores(world.clock);
  const blobs = new MemoryBlobs(world.clock);
  const groups = new GroupService({ ...stores, blobs, secrets: new CountingSecrets() }, listClasses(classes));
  let changes = 0;
  const onChanged = () => {
    changes += 1;
  };
  const door = openAccessDoor(world, { groups, forms, onChanged, nodes: stores.nodes, blobs, clock: world.clock });
  return { ...door, stores, blobs, groups, changes: () => changes };
}
