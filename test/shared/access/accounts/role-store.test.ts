import { beforeEach, describe, expect, it } from 'vitest';
import { type Role, RoleStore } from '../../../../shared/access/accounts/role-store.ts';
import { MemoryDocuments } from '../../../helpers/memory-stores.ts';

const [OPERATORS, VIEWERS, DEPLOYERS] = [2, 3, 4] as const;
const DATA = { objectType: 'nodes', action: 'view_data', instance: '*' };
const CONSOLE = { objectType: 'console_page', action: 'view', instance: '*' };
let documents: MemoryDocuments;

/** Stores the table of the first release, with a role of the operator's own. */
async function storeEarlier(change: (role: Role) => Role = (role) => role): Promise<RoleStore> {
  const roles = (await new RoleStore(new MemoryDocuments()).list()).map(
    (role): Role => ({
      ...role,
      permissions: role.permissions.filter(({ objectType, action }) =>
        role.id === VIEWERS || role.id === OPERATORS
          ? action !== 'view_data'
          : role.id !== DEPLOYERS || objectType !== 'console_page',
      ),
    }),
  );
  const own = { id: 6, displayName: 'Own', description: null, permissions: [] };
  await documents.put('access', 'roles', { nextId: 7, roles: [...roles, own].map((role) => ({ ...change(role) })) });
  return new RoleStore(documents);
}

beforeEach(() => {
  documents = new MemoryDocuments();
});

describe('a table of roles of an earlier release', () => {
  it('has what standard roles got since', async () => {
    const roles = await storeEarlier();
    expect((await roles.get(OPERATORS)).permissions).toContainEqual(DATA);
    expect((await roles.get(VIEWERS)).permissions).toContainEqual(DATA);
    expect((await roles.get(DEPLOYERS)).permissions).toContainEqual(CONSOLE);
    expect((await roles.get(6)).permissions).toEqual([]);
  });

  it('keeps the roles that somebody changed', async () => {
    const roles = await storeEarlier((role) => (role.id === VIEWERS ? { ...role, description: 'Ours.' } : role));
    expect((await roles.get(VIEWERS)).permissions).not.toContainEqual(DATA);
    expect((await roles.get(DEPLOYERS)).permissions).toContainEqual(CONSOLE);
  });

  it('is not brought forward again: what somebody takes from a role stays away', async () => {
    const roles = await storeEarlier();
    const withoutData = (role: Role) => role.permissions.filter(({ action }) => action !== 'view_data');
    await roles.change(VIEWERS, (role) => ({ ...role, permissions: withoutData(role) }));
    expect((await new RoleStore(documents).get(VIEWERS)).permissions).not.toContainEqual(DATA);
    expect((await new RoleStore(documents).get(DEPLOYERS)).permissions).toContainEqual(CONSOLE);
  });
});
