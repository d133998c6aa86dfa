import { GroupHierarchy } from '../../shared/fleet/groups/group-hierarchy.ts';
import { type NodeGroup, ROOT_GROUP, ROOT_ID } from '../../shared/fleet/groups/node-group.ts';

/** The id of a group in tests: a UUID with this number. */
export function groupId(number: number): string {
  return `00000000-0000-4000-9000-${String(number).padStart(12, '0')}`;
}

/** A group below the root that matches every node. */
export function createGroup(number: number, name: string, content: Partial<NodeGroup> = {}): NodeGroup {
  return { ...ROOT_GROUP, id: groupId(number), name, parent: ROOT_ID, rule: ['~', 'name', '.*'], ...content };
}

/** A hierarchy of these groups and the root. */
export function createHierarchy(...groups: readonly NodeGroup[]): GroupHierarchy {
  return new GroupHierarchy([ROOT_GROUP, ...groups]);
}
