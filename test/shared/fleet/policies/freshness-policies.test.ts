import { expect, it } from 'vitest';
import { FreshnessPolicies } from '../../../../shared/fleet/policies/freshness-policies.ts';
import {
  DEFAULT_POLICY,
  InvalidPolicy,
  readPolicyEntry,
  writePolicyEntry,
} from '../../../../shared/fleet/policies/policy-fields.ts';
import { MemoryDocuments } from '../../../helpers/memory-stores.ts';

it.each([
  [[], 'a policy must be a hash'],
  [{ hold: 3 }, "a policy has no setting 'hold'"],
  [{ freshness: 'never' }, "'freshness' must be one of wait, stale, retry"],
  [{ after_hold: 'wait' }, "'after_hold' must be one of stale, retry"],
  [{ hold_seconds: 1000 }, "'hold_seconds' must be whole seconds from 0 to 540"],
  [{ hold_seconds: '10' }, "'hold_seconds' must be whole seconds from 0 to 540"],
  [
    { retry_after_seconds: 30 },
    "'retry_after_seconds' must be two numbers of seconds from 0 to 86400, the lower one first",
  ],
  [
    { retry_after_seconds: [90, 30] },
    "'retry_after_seconds' must be two numbers of seconds from 0 to 86400, the lower one first",
  ],
  [{ exports: 'none' }, "'exports' must be one of follow, ring"],
  [{ notify: 'later' }, "'notify' must be one of off, paced, now"],
  [{ notify_rate: '2' }, "'notify_rate' must be a number or a percentage per s, min or h, such as 2%/min or 10/min"],
  [
    { notify_window: '22-5' },
    "'notify_window' must be a time of the day such as 22:00-05:00 (in UTC), 22:00-05:00 Europe/Berlin, or 'any'",
  ],
  [{ canary: -1 }, "'canary' must be a whole number of nodes from 0 to 1000, or a percentage such as 2%"],
  [
    { stage_canaries: 'all' },
    "'stage_canaries' must be a whole number of nodes from 1 to 1000, a percentage such as 5%, or 'off'",
  ],
  [
    { stage_canaries: '0%' },
    "'stage_canaries' must be a whole number of nodes from 1 to 1000, a percentage such as 5%, or 'off'",
  ],
  [{ stage_minutes: 0 }, "'stage_minutes' must be whole minutes from 1 to 10080"],
  [{ stage_when_good: 'abort' }, "'stage_when_good' must be one of promote, hold"],
  [{ stage_when_worse: 'promote' }, "'stage_when_worse' must be one of hold, abort"],
  [{ stage_when_late: 'wait' }, "'stage_when_late' must be one of hold, promote, abort"],
])('refuses %j', (data, message) => {
  expect(() => readPolicyEntry(data)).toThrow(new InvalidPolicy(message));
});

it('puts the entries of a node over those of its environment over the default', async () => {
  const policies = new FreshnessPolicies(new MemoryDocuments());
  expect(await policies.resolve('a', 'production')).toEqual(DEFAULT_POLICY);
  await policies.put('default', { holdSeconds: 10, afterHold: 'retry' });
  await policies.put('environments/staging', { holdSeconds: 20 });
  await policies.put('nodes/a', { freshness: 'stale' });
  expect(await policies.resolve('a', 'staging')).toEqual({
    freshness: 'stale',
    holdSeconds: 20,
    afterHold: 'retry',
    retryAfterSeconds: [30, 90],
    exports: 'follow',
    notify: 'off',
    notifyRate: { amount: 2, unit: 'percent', per: 'min' },
    notifyWindow: null,
    canary: null,
    stageCanaries: 'off',
    stageMinutes: 60,
    stageWhenGood: 'promote',
    stageWhenWorse: 'hold',
    stageWhenLate: 'hold',
    deployCheck: 'off',
    compiler: 'understudy',
  });
  expect(await policies.resolve('b', 'production')).toMatchObject({ freshness: 'wait', holdSeconds: 10 });
  expect((await policies.list()).map(({ key }) => key)).toEqual(['default', 'environments/staging', 'nodes/a']);
  await expect(policies.put('nodes/a/b', {})).rejects.toThrow(InvalidPolicy);
});

it.each([
  '{}',
  '{"freshness":"stale"}',
  '{"retry_after_seconds":[10,300],"freshness":"wait","hold_seconds":60,"after_hold":"retry"}',
  '{"after_hold":"stale","hold_seconds":0}',
  '{"notify":"paced","notify_rate":"2%/min","notify_window":"22:00-05:00","canary":5}',
  '{"notify_rate":"0.5/s","notify_window":"08:00-17:30 Europe/Berlin","canary":0}',
  '{"notify_window":"any"}',
  '{"stage_canaries":"2.5%","stage_minutes":30,"stage_when_good":"hold","stage_when_worse":"abort"}',
  '{"stage_canaries":"off","stage_when_late":"promote"}',
])('stores %s byte for byte as the API takes it', async (text) => {
  const entry = readPolicyEntry(JSON.parse(text));
  expect(JSON.stringify(writePolicyEntry(entry))).toBe(text);
  const documents = new MemoryDocuments();
  await new FreshnessPolicies(documents).put('default', entry);
  expect(JSON.stringify(await documents.get('policies', 'default'))).toBe(text);
  expect(await new FreshnessPolicies(documents).get('default')).toEqual(entry);
});

it('has the exports of an environment followed or left to the ring', async () => {
  const policies = new FreshnessPolicies(new MemoryDocuments());
  expect(await policies.resolveExports('production')).toBe('follow');
  await policies.put('default', readPolicyEntry({ exports: 'ring' }));
  await policies.put('environments/staging', { exports: 'follow' });
  expect(await policies.resolveExports('production')).toBe('ring');
  expect(await policies.resolveExports(null)).toBe('ring');
  expect(await policies.resolveExports('staging')).toBe('follow');
  await expect(policies.put('nodes/a', { exports: 'ring' })).rejects.toThrow(
    new InvalidPolicy("'exports' is a setting of environments and of 'default', not of a node"),
  );
});

it('has a node notified by its own window, at the rate of its environment', async () => {
  const policies = new FreshnessPolicies(new MemoryDocuments());
  await policies.put('default', readPolicyEntry({ notify: 'paced', notify_window: '22:00-05:00', canary: 2 }));
  await policies.put('nodes/a', readPolicyEntry({ notify: 'now', notify_window: 'any' }));
  expect(await policies.resolve('a', 'production')).toMatchObject({ notify: 'now', notifyWindow: null, canary: 2 });
  await expect(policies.put('nodes/a', readPolicyEntry({ notify_rate: '1/s' }))).rejects.toThrow(
    new InvalidPolicy("'notify_rate' is a setting of environments and of 'default', not of a node"),
  );
  await expect(policies.put('nodes/a', { canary: 1 })).rejects.toThrow(
    new InvalidPolicy("'canary' is a setting of environments and of 'default', not of a node"),
  );
});

it('says of all environments how their deploys are staged as of each, by two reads', async () => {
  const documents = new MemoryDocuments();
  const policies = new FreshnessPolicies(documents);
  await policies.put('default', { stageCanaries: 3, stageMinutes: 30 });
  await policies.put('environments/staging', { stageCanaries: '5%' });
  await policies.put('environments/dev', { freshness: 'stale' });
  await policies.put('nodes/a.example.com', { freshness: 'stale' });
  let reads = 0;
  const counting = new FreshnessPolicies(
    new Proxy(documents, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => {
          reads += 1;
          return Reflect.apply(member, target, args);
        };
      },
    }),
  );
  const stageOf = await counting.resolveStages();
  expect(reads).toBe(2);
  for (const name of ['production', 'staging', 'dev']) {
    expect(stageOf(name)).toMatchObject(await policies.resolveStage(name));
    expect(stageOf(name).stageCanaries).toBe(name === 'staging' ? '5%' : 3);
  }
});
