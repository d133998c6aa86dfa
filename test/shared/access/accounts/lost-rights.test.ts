import { beforeEach, describe, expect, it } from 'vitest';
import type { Author } from '../../../../shared/access/accounts/account.ts';
import { describeLostRight } from '../../../../shared/access/accounts/lost-rights.ts';
import { FreshnessPolicies } from '../../../../shared/fleet/policies/freshness-policies.ts';
import { DEFAULT_POLICY } from '../../../../shared/fleet/policies/policy-fields.ts';
import { NotifyPolicies } from '../../../../shared/orchestrator/notify/notify-policies.ts';
import { type AccessWorld, openAccessWorld } from '../../../helpers/access-world.ts';

const RUN = { objectType: 'puppet_agent', action: 'run', instance: '*' };
let world: AccessWorld;
let author: Author;

beforeEach(async () => {
  world = openAccessWorld();
  const { id, login } = await world.addUser('amari', [2]);
  author = { id, login };
});

const find = (who: Author | null = author) => describeLostRight(world, who, RUN);

async function amari() {
  const account = await world.access.accounts.findByLogin('amari');
  if (account === null) throw new Error('no user amari');
  return account;
}

describe('the author of what runs later', () => {
  it('is asked again when it runs', async () => {
    expect(await find()).toBeNull();
    await world.access.accounts.change(await amari(), (before) => ({ ...before, roleIds: [3] }));
    expect(await find()).toBe('the user amari no longer has the permission puppet_agent:run:*');
  });

  it.each<[string, () => Promise<unknown>]>([
    ['revoked', async () => world.access.revoke(await amari())],
    ['gone', async () => world.access.accounts.delete(await amari())],
    [
      'another of the same name',
      async () => {
        await world.access.accounts.delete(await amari());
        await world.addUser('amari', [1]);
      },
    ],
  ])('counts no more when he is %s', async (_, end) => {
    await end();
    expect(await find()).toBe('the user amari is gone or revoked');
  });

  it('is nobody for what a command set', async () => {
    expect(await find(null)).toBeNull();
  });
});

it('a policy of a user who lost the right lets no node run, and the log says so once', async () => {
  const policies = new FreshnessPolicies(world.documents);
  await policies.put('default', { notify: 'now' }, author);
  const said: string[] = [];
  const read = new NotifyPolicies(world.documents, world.clock, DEFAULT_POLICY, (line) => said.push(line));
  const look = async () => {
    world.clock.time += 3000;
    return [await read.isOnAnywhere(), (await read.resolve('a', 'production')).notify];
  };
  expect(await look()).toEqual([true, 'now']);
  await world.access.revoke(await amari());
  expect([await look(), await look()]).toEqual([
    [false, 'off'],
    [false, 'off'],
  ]);
  expect(said).toEqual(['The policy default lets no node run: the user amari is gone or revoked']);
  expect((await policies.list())[0]?.entry).toEqual({ notify: 'now' });
});
