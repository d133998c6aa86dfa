import type { Classification, Grouping, NodeRecord } from '../../store/ports/node-record.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { loadFacts } from '../facts/facts-blob.ts';
import { type CurrentHierarchy, HierarchyStore } from '../groups/hierarchy-store.ts';
import { groupNode } from '../groups/node-grouping.ts';
import { classificationDigest, classificationOf, type ExternalClassifier } from '../nodes/classification.ts';
import type { CheckIn } from './catalog-service.ts';

/** Classes and variables for a node that checks in, by groups and by an external classifier. */
export interface NodeAssignment {
  readonly grouping: Grouping | null;
  readonly external: Classification | null;
  /** Whether the classification differs from that in the node's record. */
  readonly changed: boolean;
}

type AssignmentPorts = Pick<Stores, 'groups' | 'blobs' | 'clock'>;

/**
 * Finds the classification of nodes as they check in, from the groups in force and from the facts
 * that the node sends. A catalog that was compiled with another one is thus never served as
 * current, whether or not the node was invalidated for a changed group.
 */
export class NodeAssignments {
  readonly #ports: AssignmentPorts;
  readonly #hierarchies: HierarchyStore;
  readonly #external: ExternalClassifier | null;

  /** `external` is null without an external node classifier. */
  constructor(ports: AssignmentPorts, external: ExternalClassifier | null) {
    this.#ports = ports;
    this.#hierarchies = new HierarchyStore(ports);
    this.#external = external;
  }

  /** Reads the record of a node, and the groups in force for `find`, by one request. */
  async readWithNode(
    certname: string,
  ): Promise<{ readonly node: NodeRecord | null; readonly groups: CurrentHierarchy }> {
    const { head, node } = await this.#ports.groups.getWithNode(certname);
    return { node, groups: await this.#hierarchies.read(head) };
  }

  /**
   * Classifies the node; `node` is null for a new one. `groups`: those in force, when they are read
   * already. `asked`: an earlier result of the same check-in, whose external classification is used
   * again. The external classifier is not asked for a node that groups or operators classify.
   * Rejects with ExternalClassifierFailed.
   */
  async find(
    node: NodeRecord | null,
    checkIn: CheckIn,
    { groups, asked }: { readonly groups?: CurrentHierarchy; readonly asked?: NodeAssignment } = {},
  ): Promise<NodeAssignment> {
    const grouping = await this.#group(node, checkIn, groups ?? (await this.#hierarchies.read()));
    const pushed = node?.classification ?? null;
    const isClassified = pushed !== null || (grouping?.classification ?? null) !== null;
    const external = isClassified
      ? (node?.external ?? null)
      : asked === undefined
        ? await this.#askExternal(checkIn.certname)
        : asked.external;
    const before = node && classificationDigest(classificationOf(node));
    const after = classificationDigest(classificationOf({ classification: pushed, grouping, external }));
    return { grouping, external, changed: before !== after };
  }

  /** Whether the groups changed since the assignment was made. */
  async isOvertaken({ grouping }: NodeAssignment): Promise<boolean> {
    const head = await this.#ports.groups.get();
    return (head?.digest ?? null) !== (grouping?.state ?? null);
  }

  async #askExternal(certname: string): Promise<Classification | null> {
    return this.#external === null ? null : this.#external.classify(certname);
  }

  async #group(node: NodeRecord | null, checkIn: CheckIn, current: CurrentHierarchy): Promise<Grouping | null> {
    if (current.head === null) return null;
    const { certname, facts, trusted } = checkIn;
    if (facts === null && node?.grouping?.state === current.head.digest) return node.grouping;
    const stored = facts === null ? await loadFacts(this.#ports.blobs, node ?? { certname, facts: null }) : null;
    const subject = { name: certname, fact: facts ?? stored?.facts ?? null, trusted };
    return groupNode(current, subject, this.#ports.clock.now());
  }
}
