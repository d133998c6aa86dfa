import type { SecretSource } from '../../store/ports/secrets.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { uuidFromBytes } from '../../util/uuid.ts';
import { addPins, applyDelta, checkName, checkRoot, contentOf, removePins, rootImmutable } from './change-group.ts';
import { checkReferents, type KnownClasses, readKnownClasses } from './check-referents.ts';
import type { ClassLists } from './class-lists.ts';
import { GroupHierarchy } from './group-hierarchy.ts';
import { GroupRefused, groupNotFound } from './group-refused.ts';
import { type CurrentHierarchy, HierarchyStore } from './hierarchy-store.ts';
import {
  type GroupContent,
  type GroupDelta,
  hasSameContent,
  type NodeGroup,
  printGroup,
  ROOT_ID,
} from './node-group.ts';

type GroupServicePorts = Pick<Stores, 'groups' | 'blobs' | 'clock'> & { readonly secrets: SecretSource };

/** A group that was created or changed; `changed` is false when it was so already. */
export interface ChangedGroup {
  readonly group: NodeGroup;
  readonly changed: boolean;
  readonly isNew: boolean;
}

/** A change that is known before it is made: the groups that it starts from, and those after it. */
export interface PlannedChange extends ChangedGroup {
  readonly before: GroupHierarchy;
  readonly after: GroupHierarchy;
}

/**
 * Reads and changes the node groups. Each method throws GroupRefused for what cannot be done. A
 * change is in force when it resolves; `settleGroups` invalidates the nodes.
 */
export class GroupService {
  readonly classes: ClassLists;
  readonly #store: HierarchyStore;
  readonly #ports: GroupServicePorts;

  constructor(ports: GroupServicePorts, classes: ClassLists, store: HierarchyStore = new HierarchyStore(ports)) {
    this.#ports = ports;
    this.classes = classes;
    this.#store = store;
  }

  /** The groups in force. */
  read(): Promise<CurrentHierarchy> {
    return this.#store.read();
  }

  /** Creates a group; `delta` needs name, parent and classes. */
  create(delta: GroupDelta): Promise<ChangedGroup> {
    return this.#change((before) => this.#planCreate(before, delta, delta.id ?? this.#newId()));
  }

  /** Creates the group of this id, or replaces its content. */
  put(id: string, delta: GroupDelta): Promise<ChangedGroup> {
    return this.#change((before) => this.#planPut(before, id, delta));
  }

  /**
   * Changes the given members. With a serial number that is not the group's: `conflict`, with the
   * group as it is now.
   */
  edit(id: string, delta: GroupDelta): Promise<ChangedGroup> {
    return this.#change((before) => this.#planEdit(before, id, delta));
  }

  /** Plans `create`, or with a known id `edit`. Nothing is changed. */
  async plan(delta: GroupDelta, id: string | null = null): Promise<PlannedChange> {
    const { hierarchy } = await this.#store.read();
    const planned =
      id === null
        ? this.#planCreate(hierarchy, delta, delta.id ?? this.#newId())
        : this.#planEdit(hierarchy, id, delta);
    return this.#finish(planned, await this.#knownClasses(hierarchy, delta));
  }

  /** Plans `put`, or without an id `create`. Nothing is changed. */
  async planPut(delta: GroupDelta, id: string | null): Promise<PlannedChange> {
    const { hierarchy } = await this.#store.read();
    const planned =
      id === null ? this.#planCreate(hierarchy, delta, this.#newId()) : this.#planPut(hierarchy, id, delta);
    return this.#finish(planned, await this.#knownClasses(hierarchy, delta));
  }

  /** Deletes a group without children. Resolves to the deleted one. */
  async delete(id: string): Promise<NodeGroup> {
    let deleted: NodeGroup | null = null;
    await this.#store.change((before) => {
      deleted = requireGroup(before, id);
      if (id === ROOT_ID) throw rootImmutable('The root group cannot be deleted');
      const children = before.childrenOf(id);
      if (children.length > 0) {
        const message = `The group '${deleted.name}' has children: ${children.map(({ name }) => name).join(', ')}`;
        throw new GroupRefused('children-present', message, { group: id, children: children.map((one) => one.id) });
      }
      return before.groups.filter((group) => group.id !== id);
    });
    return deleted ?? requireGroup(GroupHierarchy.initial, id);
  }

  /** Pins nodes to a group, or removes pins. Returns whether that changed anything. */
  async pin(id: string, nodes: readonly string[], isPinned: boolean): Promise<boolean> {
    const { changed } = await this.#change((before) => {
      const group = requireGroup(before, id);
      const rule = isPinned ? addPins(group.rule, nodes) : removePins(group.rule, nodes);
      return { before, old: group, next: { ...group, rule } };
    });
    return changed;
  }

  /**
   * Removes the pins of nodes from all groups that `mayEdit` permits. Resolves to the groups from
   * which each node was removed; a node that was pinned nowhere is left out.
   */
  async unpinFromAll(
    nodes: readonly string[],
    mayEdit: (group: NodeGroup, hierarchy: GroupHierarchy) => Promise<boolean>,
  ): Promise<ReadonlyMap<string, readonly NodeGroup[]>> {
    const { hierarchy } = await this.#store.read();
    const editable = new Set<string>();
    for (const group of hierarchy.groups) {
      if (removePins(group.rule, nodes) === group.rule || group.id === ROOT_ID) continue;
      if (await mayEdit(group, hierarchy)) editable.add(group.id);
    }
    const found = new Map<string, NodeGroup[]>();
    await this.#store.change((before) => {
      found.clear();
      const groups = before.groups.map((group) => {
        if (!editable.has(group.id)) return group;
        for (const node of new Set(nodes)) {
          if (removePins(group.rule, [node]) !== group.rule) found.set(node, [...(found.get(node) ?? []), group]);
        }
        const rule = removePins(group.rule, nodes);
        return rule === group.rule ? group : this.#stamp({ ...group, rule });
      });
      return found.size === 0 ? null : groups;
    });
    return found;
  }

  /**
   * Replaces all groups by these. Throws GroupRefused also for groups that the root does not reach.
   */
  async replaceAll(groups: readonly (GroupDelta & { readonly id: string })[]): Promise<void> {
    await this.#store.change((before) => {
      const all = groups.map((delta) => this.#stampOver({ id: delta.id, ...contentOf(delta) }, before.get(delta.id)));
      checkReachable(all);
      const after = new GroupHierarchy(all);
      for (const group of all) checkName(group, all);
      checkRoot(before.root, after.root);
      return all;
    });
  }

  #newId(): string {
    return uuidFromBytes(this.#ports.secrets.bytes(16));
  }

  async #change(plan: (before: GroupHierarchy) => GroupStep): Promise<ChangedGroup> {
    // Class lists are read outside of the loop of compare-and-swap: they are of the deployed code.
    const first = (await this.#store.read()).hierarchy;
    const known = await this.#knownClasses(first, plan(first).next);
    let result: ChangedGroup | null = null;
    await this.#store.change((before) => {
      const { after, ...done } = this.#finish(plan(before), known);
      result = done;
      return done.changed ? after.groups : null;
    });
    if (result === null) throw new Error('invariant: a change without a result');
    return result;
  }

  async #knownClasses(hierarchy: GroupHierarchy, { environment }: GroupDelta): Promise<KnownClasses> {
    const environments = hierarchy.groups.map((group) => group.environment);
    return readKnownClasses(this.classes, environment === undefined ? environments : [...environments, environment]);
  }

  /** Checks a step, and makes the groups after it. */
  #finish({ before, old, next }: GroupStep, known: KnownClasses): PlannedChange {
    if (old !== null && hasSameContent(old, next)) {
      return { group: old, changed: false, isNew: false, before, after: before };
    }
    if (old !== null) checkRoot(old, next);
    const group = this.#stampOver(next, old);
    const groups = [...before.groups.filter(({ id }) => id !== group.id), group];
    checkName(group, groups);
    const after = new GroupHierarchy(groups);
    checkReferents(group.id, before, after, known);
    return { group, changed: true, isNew: old === null, before, after };
  }

  #planCreate(before: GroupHierarchy, delta: GroupDelta, id: string): GroupStep {
    const old = before.get(id);
    if (old !== null) {
      throw new GroupRefused('uniqueness-violation', `A group with the id ${id} already exists`, { conflict: { id } });
    }
    return { before, old, next: { id, ...contentOf(delta) } };
  }

  #planPut(before: GroupHierarchy, id: string, delta: GroupDelta): GroupStep {
    const old = before.get(id);
    checkSerialNumber(old, delta);
    const root = id === ROOT_ID && old !== null ? { parent: ROOT_ID, rule: old.rule } : {};
    return { before, old, next: { id, ...contentOf({ ...root, ...delta }) } };
  }

  #planEdit(before: GroupHierarchy, id: string, delta: GroupDelta): GroupStep {
    const old = requireGroup(before, id);
    checkSerialNumber(old, delta);
    return { before, old, next: applyDelta(old, delta) };
  }

  #stampOver(next: GroupContent & { readonly id: string }, old: NodeGroup | null): NodeGroup {
    return this.#stamp({ ...next, lastEdited: 0, serialNumber: old?.serialNumber ?? 0 });
  }

  #stamp(group: NodeGroup): NodeGroup {
    return { ...group, lastEdited: this.#ports.clock.now(), serialNumber: group.serialNumber + 1 };
  }
}

/** The content of a group after a change that is not checked yet; `old` is null for a new group. */
interface GroupStep {
  readonly before: GroupHierarchy;
  readonly old: NodeGroup | null;
  readonly next: GroupContent & { readonly id: string };
}

/** The group of an id. Throws GroupRefused (`not-found`). */
export function requireGroup(hierarchy: GroupHierarchy, id: string): NodeGroup {
  const group = hierarchy.get(id);
  if (group === null) throw groupNotFound(`/classifier-api/v1/groups/${id}`);
  return group;
}

function checkSerialNumber(old: NodeGroup | null, { serialNumber }: GroupDelta): void {
  if (old === null || serialNumber === undefined || serialNumber === old.serialNumber) return;
  const message = `The group '${old.name}' has changed: its serial number is ${old.serialNumber}, not ${serialNumber}`;
  throw new GroupRefused('conflict', message, {
    serial_number: old.serialNumber,
    submitted: serialNumber,
    group: printGroup(old),
  });
}

/** Refuses groups that the root does not reach, with the error of an import. */
function checkReachable(groups: readonly NodeGroup[]): void {
  const ids = new Set(groups.map(({ id }) => id));
  const lost = groups.filter(({ parent }) => !ids.has(parent));
  if (ids.has(ROOT_ID) && lost.length === 0) return;
  const unreachable = ids.has(ROOT_ID) ? lost : groups;
  const names = unreachable.map(({ name }) => name).join(', ');
  throw new GroupRefused('unreachable-groups', `The groups ${names} cannot be reached from the root`, {
    groups: unreachable.map(({ id }) => id),
  });
}
