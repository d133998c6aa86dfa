import type { Permission } from '../../../shared/access/accounts/access-control.ts';
import { PERMISSION_TYPES } from '../../../shared/access/accounts/permission-types.ts';
import type { AccessWorld } from '../access-world.ts';
import type { Identity } from './describe-surface.ts';

/** The objects that the requests name, as permissions write them. */
export type Instances = Readonly<Record<string, string>>;

/** What users of a surface have. */
export interface Listing {
  /** The objects that the requests name. */
  readonly own: Instances;
  /** The beginnings of the permissions that its routes ask for: `tasks`, `node_groups:view`. */
  readonly about: readonly string[];
  /** What each user with one permission has, too. */
  readonly common?: readonly Permission[];
}

/**
 * A user without roles, one of each standard role, and one of each permission: for all instances,
 * for the one that requests name (`own`), and for another. One user has all permissions that routes
 * do not ask for. Beside them whoever has no valid token.
 */
export async function listUsers(
  world: AccessWorld,
  { own, about, common = [] }: Listing,
): Promise<readonly Identity<string | null>[]> {
  const { access, clock, addUser, tokenOf } = world;
  const found: Identity<string | null>[] = [['none', null]];
  const add = async (name: string, roleIds: readonly number[]) => {
    const login = `u${found.length}`;
    await addUser(login, roleIds);
    found.push([name, await tokenOf(login)]);
  };
  const expired = await access.tokens.create(await addUser('expired', [1]), { lifetimeMs: 1000 });
  const revoked = await addUser('revoked', [1]);
  const dead = await tokenOf('revoked');
  await access.revoke(revoked);
  clock.time += 2000;
  found.push(['expired', expired], ['revoked', dead]);
  await add('no role', []);
  for (const { id, displayName } of (await access.roles.list()).filter((role) => role.id <= 5)) {
    await add(displayName, [id]);
  }
  const addWith = async (displayName: string, permissions: readonly Permission[]) => {
    const role = { displayName, description: null, permissions: [...common, ...permissions] };
    await add(displayName, [(await access.roles.create(role)).id]);
  };
  const all = listPermissions(own);
  const isAsked = ([name]: readonly [string, unknown]) => about.some((one) => name.startsWith(`${one}:`));
  for (const [name, permission] of all.filter(isAsked)) await addWith(name, [permission]);
  await addWith(
    'all others',
    all.filter((one) => !isAsked(one)).map(([, permission]) => permission),
  );
  return found;
}

function listPermissions(own: Instances): readonly (readonly [name: string, permission: Permission])[] {
  return PERMISSION_TYPES.flatMap(({ objectType, actions }) =>
    actions.flatMap(({ name: action, hasInstances }) => {
      const mine = own[`${objectType}:${action}`] ?? own[objectType];
      const instances = { '*': '*', ...(hasInstances ? { own: mine ?? 'none', other: 'other' } : {}) };
      return Object.entries(instances).map(
        ([name, instance]) => [`${objectType}:${action}:${name}`, { objectType, action, instance }] as const,
      );
    }),
  );
}
