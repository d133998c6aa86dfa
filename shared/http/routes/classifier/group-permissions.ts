import type { Permission, Subject } from '../../../access/accounts/access-control.ts';
import type { AccessService } from '../../../access/accounts/access-service.ts';
import type { ActivityAction } from '../../../access/accounts/activity-log.ts';
import { coversPermission } from '../../../access/accounts/permission-types.ts';
import type { GroupHierarchy } from '../../../fleet/groups/group-hierarchy.ts';
import { DEFAULT_ENVIRONMENT, type GroupContent, type NodeGroup } from '../../../fleet/groups/node-group.ts';
import { canonicalJson } from '../../../util/digest.ts';
import type { HttpContext } from '../../endpoint.ts';
import { demandSubject, permissionDenied } from '../access/access-endpoint.ts';
import type { ClassifierApi } from './classifier-endpoint.ts';

export type GroupAction =
  | 'view'
  | 'edit_classification'
  | 'edit_config_data'
  | 'edit_params_and_vars'
  | 'set_environment'
  | 'edit_child_rules'
  | 'modify_children';

/** Who may edit a group in some way may read it, too. */
const ACTIONS_ON_GROUP: readonly GroupAction[] = [
  'view',
  'edit_classification',
  'edit_config_data',
  'edit_params_and_vars',
  'set_environment',
];
/** Permissions for what is below a group, and not for the group itself. */
const ACTIONS_BELOW: readonly GroupAction[] = ['edit_child_rules', 'modify_children'];

const NODE_DATA: Permission = { objectType: 'nodes', action: 'view_data', instance: '*' };

/** Permissions of one user for node groups. A permission for a group covers all groups below it. */
export class GroupPermissions {
  readonly #access: AccessService;
  readonly #subject: Subject;
  readonly #had: readonly Permission[];

  private constructor(access: AccessService, subject: Subject, had: readonly Permission[]) {
    this.#access = access;
    this.#subject = subject;
    this.#had = had;
  }

  /** Finds who asks, and what they may do. Rejects with AccessRefused (401). */
  static async of(context: HttpContext, api: ClassifierApi): Promise<GroupPermissions> {
    const subject = await demandSubject(context, api);
    const had = subject.isSuperuser ? [] : await api.access.permissionsOf(subject);
    return new GroupPermissions(api.access, subject, had);
  }

  /** Whether the user may do this with the group, by a permission for it or for one above it. */
  may(action: GroupAction, group: NodeGroup, hierarchy: GroupHierarchy): boolean {
    const above = hierarchy.ancestorsOf(group).map(({ id }) => id);
    const isBelow = ACTIONS_BELOW.includes(action);
    return this.#mayOn(action, isBelow ? above : [group.id, ...above]);
  }

  mayView(group: NodeGroup, hierarchy: GroupHierarchy): boolean {
    return ACTIONS_ON_GROUP.some((action) => this.may(action, group, hierarchy));
  }

  /** Rejects with AccessRefused (403) unless the user may do this with the group. */
  demand(action: GroupAction, group: NodeGroup, hierarchy: GroupHierarchy): void {
    const isPermitted = action === 'view' ? this.mayView(group, hierarchy) : this.may(action, group, hierarchy);
    this.#decide(isPermitted, action, group.id);
  }

  /** Rejects with AccessRefused (403) unless the user may do this with all groups. */
  demandForAll(action: GroupAction): void {
    this.#decide(this.#mayOn(action, []), action, '*');
  }

  /** Rejects with AccessRefused (403) unless the user may view some group. */
  demandSome(hierarchy: GroupHierarchy): void {
    if (!hierarchy.groups.some((group) => this.mayView(group, hierarchy))) this.demandForAll('view');
  }

  /** Rejects with AccessRefused (403) unless the user may read facts of nodes. */
  demandNodeData(): void {
    if (this.#had.some((had) => coversPermission(had, NODE_DATA)) || this.#subject.isSuperuser) return;
    throw permissionDenied(this.#subject, NODE_DATA);
  }

  /**
   * Rejects with AccessRefused (403) unless the user may make the group what it becomes. Null: it
   * does not exist before, or after.
   */
  demandChange(before: NodeGroup | null, after: NodeGroup | null, hierarchy: GroupHierarchy): void {
    const group = after ?? before;
    if (group === null) return;
    if (before === null || after === null || before.parent !== after.parent) {
      this.demand('modify_children', group, hierarchy);
      if (before !== null && after !== null) this.demand('modify_children', before, hierarchy);
    }
    if (after === null) return;
    for (const action of listNeeded(before, after)) {
      const [first, ...alternatives] = action;
      if (first !== undefined && !alternatives.some((one) => this.may(one, group, hierarchy))) {
        this.demand(first, group, hierarchy);
      }
    }
  }

  get login(): string {
    return this.#subject.login;
  }

  /** Notes a change of groups in the audit log and among the activities. */
  note(action: ActivityAction, groups: readonly Pick<NodeGroup, 'id' | 'name'>[], message: string): Promise<void> {
    const objects = groups.map(({ id, name }) => ({ type: 'node_groups' as const, id, name }));
    return this.#access.noteChange(this.#subject, { service: 'classifier', action, objects, message });
  }

  #mayOn(action: GroupAction, ids: readonly string[]): boolean {
    if (this.#subject.isRevoked) return false;
    if (this.#subject.isSuperuser) return true;
    return ['*', ...ids].some((instance) =>
      this.#had.some((had) => coversPermission(had, permissionFor(action, instance))),
    );
  }

  #decide(isPermitted: boolean, action: GroupAction, instance: string): void {
    const subject = `node_groups:${action}:${instance}`;
    const { login } = this.#subject;
    this.#access.audit({ event: 'permission', login, outcome: isPermitted ? 'granted' : 'denied', subject });
    if (!isPermitted) throw permissionDenied(this.#subject, permissionFor(action, instance));
  }
}

function permissionFor(action: GroupAction, instance: string): Permission {
  return { objectType: 'node_groups', action, instance };
}

/** The actions that a change needs; one of each list suffices. */
function listNeeded(before: NodeGroup | null, after: GroupContent): readonly (readonly GroupAction[])[] {
  const differs = (usual: unknown, read: (group: GroupContent) => unknown) =>
    canonicalJson(before === null ? usual : read(before)) !== canonicalJson(read(after));
  const hasOtherNames = before !== null && differs(null, ({ name, description }) => [name, description]);
  const names = ({ classes }: GroupContent) => Object.keys(classes).sort();
  const hasOtherClasses = differs([], names);
  const hasOtherParameters = differs({}, ({ classes }) => classes);
  return [
    ...(differs(null, ({ rule }) => rule) ? [['edit_child_rules'] as const] : []),
    ...(hasOtherClasses ? [['edit_classification'] as const] : []),
    ...((!hasOtherClasses && hasOtherParameters) || differs({}, ({ variables }) => variables)
      ? [['edit_params_and_vars', 'edit_classification'] as const]
      : []),
    ...(differs({}, ({ configData }) => configData) ? [['edit_config_data'] as const] : []),
    ...(differs([DEFAULT_ENVIRONMENT, false], (group) => [group.environment, group.environmentTrumps])
      ? [['set_environment'] as const]
      : []),
    ...(hasOtherNames ? [['edit_classification', 'modify_children'] as const] : []),
  ];
}
