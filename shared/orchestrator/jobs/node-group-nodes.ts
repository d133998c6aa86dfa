import { HierarchyStore } from '../../fleet/groups/hierarchy-store.ts';
import { listGroupMembers } from '../../fleet/nodes/grouped-nodes.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { OrchestratorError } from './orchestrator-error.ts';
import type { NodeGroupNodes } from './targets.ts';

/** The nodes of the node groups in force. */
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
    const group = hierarchy.get(id.toLowerCase());
    if (group === null) throw new OrchestratorError('unknown-node-group', `There is no node group ${id}`, { id });
    if (group.rule === null) {
      const message = `The node group '${group.name}' has no rule of its own, so that it has no nodes`;
      throw new OrchestratorError('empty-target', message, { id });
    }
    return listGroupMembers(group, hierarchy, this.#ports);
  }

  async listAbove(id: string): Promise<readonly string[]> {
    const { hierarchy } = await this.#hierarchies.read();
    const group = hierarchy.get(id.toLowerCase());
    return group === null ? [] : hierarchy.ancestorsOf(group).map((one) => one.id);
  }
}
