import type { GroupHierarchy } from '../../fleet/groups/group-hierarchy.ts';
import { HierarchyStore } from '../../fleet/groups/hierarchy-store.ts';
import type { NodeGroup } from '../../fleet/groups/node-group.ts';
import { listGroupMembers } from '../../fleet/nodes/grouped-nodes.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { OrchestratorError } from './orchestrator-error.ts';
import type { NodeGroupNodes } from './targets.ts';

const LEAST_DIGITS = 4;

/** The nodes of the node groups in force. A group is named by its id, or the first digits of it. */
export class ClassifierNodes implements NodeGroupNodes {
  readonly #ports: Pick<Stores, 'groups' | 'blobs' | 'nodes' | 'clock'>;
  readonly #hierarchies: HierarchyStore;

  constructor(ports: Pick<Stores, 'groups' | 'blobs' | 'nodes' | 'clock'>) {
    this.#ports = ports;
    this.#hierarchies = new HierarchyStore(ports);
  }

  // Puppet Enterprise: a group that has inherited rules only is refused.
  async find(id: string): Promise<readonly string[]> {
    const { hierarchy } = await this.#hierarchies.read();
    const [group, another] = findGroups(hierarchy, id);
    if (group === undefined) throw new OrchestratorError('unknown-node-group', `There is no node group ${id}`, { id });
    if (another !== undefined) {
      throw new OrchestratorError('unknown-node-group', `The ids of several node groups begin with ${id}`, { id });
    }
    if (group.rule === null) {
      const message = `The node group '${group.name}' has no rule of its own, so that it has no nodes`;
      throw new OrchestratorError('empty-target', message, { id });
    }
    return listGroupMembers(group, hierarchy, this.#ports);
  }

  async listAbove(id: string): Promise<readonly string[]> {
    const { hierarchy } = await this.#hierarchies.read();
    const [group, another] = findGroups(hierarchy, id);
    if (group === undefined || another !== undefined) return [];
    const above = hierarchy.ancestorsOf(group).map((one) => one.id);
    return group.id === id.toLowerCase() ? above : [group.id, ...above];
  }
}

/** The group with an id; else those whose ids begin with it, when it has 4 digits at least. */
function findGroups(hierarchy: GroupHierarchy, id: string): readonly NodeGroup[] {
  const wanted = id.toLowerCase();
  const group = hierarchy.get(wanted);
  if (group !== null) return [group];
  return wanted.length < LEAST_DIGITS ? [] : hierarchy.groups.filter((one) => one.id.startsWith(wanted));
}
