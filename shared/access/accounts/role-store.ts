import { changeDocument } from '../../store/change-document.ts';
import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';
import { AccessRefused, type Permission } from './access-control.ts';
import { ADMINISTRATORS_ROLE } from './account.ts';
import { describeInvalidPermission } from './permission-types.ts';

export interface Role {
  readonly id: number;
  readonly displayName: string;
  readonly description: string | null;
  readonly permissions: readonly Permission[];
}

export type NewRole = Omit<Role, 'id'>;

interface RoleTable {
  readonly nextId: number;
  readonly roles: readonly Role[];
}

/** All roles are in one document: an authorization reads it once, and names stay unique. */
const COLLECTION = 'access';
const KEY = 'roles';
/** Stores take documents below 300 KB. */
const MOST_CHARACTERS = 250_000;

const permission = (text: string): Permission => {
  const [objectType = '', action = '', instance = '*'] = text.split(':');
  return { objectType, action, instance };
};

function role(id: number, displayName: string, description: string, permissions: readonly string[]): Role {
  return { id, displayName, description, permissions: permissions.map(permission) };
}

/** The roles of Puppet Enterprise. Who deploys code may read it, too. */
const DEFAULT_ROLES: readonly Role[] = [
  role(ADMINISTRATORS_ROLE, 'Administrators', 'May do everything.', ['*:*']),
  role(2, 'Operators', 'Classify nodes, run Puppet, deploy code.', [
    'cert_requests:accept_reject',
    'console_page:view',
    'nodes:view_data',
    'orchestrator:view',
    'node_groups:modify_children',
    'node_groups:edit_child_rules',
    'node_groups:edit_classification',
    'node_groups:edit_config_data',
    'node_groups:edit_params_and_vars',
    'node_groups:set_environment',
    'node_groups:view',
    'puppet_agent:run',
    'environment:deploy_code',
    'environment:view_code',
  ]),
  role(3, 'Viewers', 'Look at everything, change nothing.', [
    'console_page:view',
    'nodes:view_data',
    'orchestrator:view',
    'node_groups:view',
  ]),
  role(4, 'Code Deployers', 'Deploy code.', ['console_page:view', 'environment:deploy_code', 'environment:view_code']),
  role(5, 'Project Deployers', 'Look at jobs.', ['orchestrator:view']),
];

const DEFAULT_TABLE: RoleTable = { nextId: DEFAULT_ROLES.length + 1, roles: DEFAULT_ROLES };

/** Stores roles. */
export class RoleStore {
  readonly #documents: DocumentStore;

  constructor(documents: DocumentStore) {
    this.#documents = documents;
  }

  /** All roles, by id. */
  async list(): Promise<readonly Role[]> {
    return readTable(await this.#documents.get(COLLECTION, KEY)).roles;
  }

  /** Finds a role. Rejects with AccessRefused `not-found`. */
  async get(id: number): Promise<Role> {
    return pick(await this.list(), id);
  }

  /** The permissions of several roles together. */
  async permissionsOf(roleIds: readonly number[]): Promise<readonly Permission[]> {
    if (roleIds.length === 0) return [];
    return (await this.list()).filter(({ id }) => roleIds.includes(id)).flatMap(({ permissions }) => permissions);
  }

  /** Rejects with AccessRefused `invalid-associated-id` when one of the roles does not exist. */
  async demand(roleIds: readonly number[]): Promise<void> {
    const known = new Set((await this.list()).map(({ id }) => id));
    const unknown = roleIds.filter((id) => !known.has(id));
    if (unknown.length === 0) return;
    throw new AccessRefused('invalid-associated-id', `There is no role with the id ${unknown.join(', ')}`, {
      role_ids: unknown,
    });
  }

  /** Creates a role; ids are never used again. Rejects with AccessRefused. */
  async create(given: NewRole): Promise<Role> {
    let created: Role | null = null;
    await this.#change(({ nextId, roles }) => {
      created = { ...given, id: nextId };
      checkRole(created, roles);
      return { nextId: nextId + 1, roles: [...roles, created] };
    });
    if (created === null) throw new Error('invariant: the role was created');
    return created;
  }

  /**
   * Changes a role; `change` may throw, and sees the role that is replaced. Rejects with
   * AccessRefused; name and permissions of Administrators stay.
   */
  async change(id: number, change: (before: Role) => NewRole): Promise<void> {
    await this.#change(({ nextId, roles }) => {
      const before = pick(roles, id);
      const after = { ...change(before), id };
      if (id === ADMINISTRATORS_ROLE && !isSameRole(before, after)) throw immutable('Administrators');
      checkRole(after, roles);
      return { nextId, roles: roles.map((one) => (one.id === id ? after : one)) };
    });
  }

  /** Deletes a role; those of the beginning stay. Rejects with AccessRefused. */
  async delete(id: number): Promise<void> {
    await this.#change(({ nextId, roles }) => {
      const { displayName } = pick(roles, id);
      if (DEFAULT_ROLES.some((one) => one.id === id)) throw immutable(displayName);
      return { nextId, roles: roles.filter((one) => one.id !== id) };
    });
  }

  async #change(change: (table: RoleTable) => RoleTable): Promise<void> {
    await changeDocument(this.#documents, COLLECTION, KEY, (stored) => {
      const next = { ...change(readTable(stored)) };
      if (JSON.stringify(next).length <= MOST_CHARACTERS) return next;
      throw new AccessRefused('schema-violation', `All roles together have at most ${MOST_CHARACTERS} characters`);
    });
  }
}

function checkRole({ id, displayName, permissions }: Role, roles: readonly Role[]): void {
  if (displayName.trim() === '') throw new AccessRefused('schema-violation', 'A role has a name');
  if (roles.some((other) => other.displayName === displayName && other.id !== id)) {
    throw new AccessRefused('conflict', `Another role has the name '${displayName}'`, { display_name: displayName });
  }
  for (const one of permissions) {
    const fault = describeInvalidPermission(one);
    if (fault !== null) throw new AccessRefused('schema-violation', fault);
  }
}

function isSameRole(a: Role, b: Role): boolean {
  const isSame = a.displayName === b.displayName && a.description === b.description;
  return isSame && JSON.stringify(a.permissions) === JSON.stringify(b.permissions);
}

function immutable(name: string): AccessRefused {
  return new AccessRefused('default-roles-immutable', `The role ${name} is from the beginning and stays as it is`);
}

function pick(roles: readonly Role[], id: number): Role {
  const found = roles.find((one) => one.id === id);
  if (found === undefined) throw new AccessRefused('not-found', `There is no role with the id ${id}`);
  return found;
}

function readTable(document: StoredDocument | null): RoleTable {
  if (document === null || !Array.isArray(document.roles)) return DEFAULT_TABLE;
  return { nextId: Number(document.nextId), roles: document.roles.map(readRole) };
}

function readRole({ id, displayName, description, permissions }: Readonly<Record<string, unknown>>): Role {
  const list: readonly Readonly<Record<string, unknown>>[] = Array.isArray(permissions) ? permissions : [];
  return {
    id: Number(id),
    displayName: String(displayName),
    description: typeof description === 'string' ? description : null,
    permissions: list.map((one) => ({
      objectType: String(one.objectType),
      action: String(one.action),
      instance: String(one.instance),
    })),
  };
}
