import { describe, expect, it } from 'vitest';
import type { Permission } from '../../../shared/access/accounts/access-control.ts';
import { EVERYTHING, findLacking, PERMISSION_TYPES } from '../../../shared/access/accounts/permission-types.ts';
import { type AccessDoor, openAccessDoor } from '../../helpers/access-door.ts';
import { createChance, parsePermission } from '../../helpers/rights/walking.ts';

const STEPS = 120;
const SEEDS = Number(process.env.RIGHTS_WALKS ?? 3);
const RIGHTS = ['user_roles:edit:*', 'user_roles:create:*', 'user_roles:edit_members:*', 'users:create:*'];
const MORE = ['users:edit:*', 'users:disable:*', 'user_groups:import:*', 'tasks:run:a', 'console_page:view:*'];

/** Walks as a user without `*`; the first right that he gained, or null. */
async function walk(seed: number, plant: Plant): Promise<string | null> {
  const chance = createChance(seed);
  const pick = <T>(list: readonly T[]): T => list[chance(list.length)] as T;
  const door = openAccessDoor();
  const { access } = door;
  const initial = [...RIGHTS, ...MORE].map(parsePermission);
  const own = await access.roles.create({ displayName: 'Own', description: null, permissions: initial });
  const { id } = await door.addUser('walker', [own.id]);
  const boss = await door.addUser('boss', [1]);
  const token = await door.tokenOf('walker');
  const truth = door.open();
  plant(door, { walker: id, boss: boss.id, own: own.id });
  const every = PERMISSION_TYPES.flatMap(({ objectType, actions }) =>
    actions.map(({ name }) => ({ object_type: objectType, action: name, instance: '*' })),
  );
  const all = [...every, { object_type: '*', action: '*', instance: '*' }];
  for (let step = 0; step < STEPS; step += 1) {
    const roles = (await access.roles.list()).map((role) => role.id);
    const [role_id, user] = [pick(roles), pick([id, id, boss.id])];
    const permissions = [pick(all)];
    const names = { display_name: `r${step}`, description: null };
    const [path, body] = pick<readonly [string, object]>([
      ['command/roles/add-users', { role_id, user_ids: [user] }],
      ['command/roles/remove-users', { role_id: 1, user_ids: [boss.id] }],
      ['command/roles/add-permissions', { role_id, permissions }],
      ['command/users/add-roles', { user_id: user, role_ids: [role_id] }],
      ['roles', { ...names, permissions, user_ids: [id], group_ids: [] }],
      ['users', { login: `n${step}`, email: '', display_name: '', role_ids: [role_id], password: 'Welc0me!' }],
      ['groups', { login: `g${step}`, role_ids: [role_id] }],
    ]);
    await door.ask('POST', `/rbac-api/v1/${path}`, { token, body });
    const known = await access.accounts.list();
    // Whoever he makes acts for him.
    for (const account of known.filter(({ login }) => /^(walker|[ng]\d+)$/.test(login))) {
      const gained = findLacking(initial, await truth.permissionsOf(account));
      if (gained !== null) return `${path}: ${Object.values(gained).join(':')}`;
    }
    const after = known.find((account) => account.id === boss.id);
    if (!after?.roleIds.includes(1)) return `${path}: boss is no administrator`;
  }
  return null;
}

/** The first finding of some walks. */
async function walkAll(plant: Plant = () => {}): Promise<string | null> {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const found = await walk(seed, plant);
    if (found !== null) return `seed ${seed}: ${found}`;
  }
  return null;
}

/** Disables one check of an access service. */
type Plant = (door: AccessDoor, ids: { walker: string; boss: string; own: number }) => void;

const PLANTS: Readonly<Record<string, Plant>> = {
  'that the giver has what he gives'({ access }, { walker }) {
    const real = access.permissionsOf.bind(access);
    const isPermitted = async (subject: Parameters<typeof real>[0], wanted: Permission) =>
      findLacking(await real(subject), [wanted]) === null;
    access.isPermitted = isPermitted;
    access.permissionsOf = async (subject) => (subject.id === walker ? [EVERYTHING] : real(subject));
  },
  'of what a role permits that somebody gets'({ access }, { own }) {
    const real = access.roles.permissionsOf.bind(access.roles);
    access.roles.permissionsOf = async (ids) => (ids.includes(own) ? real(ids) : []);
  },
  'of the power of an administrator'({ access }, { boss }) {
    const real = access.permissionsOf.bind(access);
    access.permissionsOf = async (subject) => (subject.id === boss ? [] : real(subject));
  },
};

describe('a user without all permissions', () => {
  it('gains none by any calls', async () => expect(await walkAll()).toBeNull());

  it.each(Object.entries(PLANTS))('gains one without the check %s', async (_, plant) => {
    expect(await walkAll(plant)).toMatch(/^seed \d+: /);
  });
});
