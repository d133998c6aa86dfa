import { expect, it } from 'vitest';
import { FreshnessPolicies } from '../../../../shared/fleet/policies/freshness-policies.ts';
import { readPolicyEntry } from '../../../../shared/fleet/policies/policy-fields.ts';
import { createDueRecorder, recordChanges } from '../../../../shared/orchestrator/notify/due-recorder.ts';
import { NotifyBook } from '../../../../shared/orchestrator/notify/notify-book.ts';
import { NotifyLease } from '../../../../shared/orchestrator/notify/notify-lease.ts';
import { NEW_ROLLOUT, RolloutStore } from '../../../../shared/orchestrator/notify/rollout-state.ts';
import { digestSha256 } from '../../../../shared/util/digest.ts';
import { NO_INPUTS } from '../../../helpers/no-inputs.ts';
import { describeStores, type OpenedStores } from '../../../helpers/store-implementations.ts';

const LANE = 'production|now|any';
const [A, B] = ['a.example.com', 'b.example.com'] as const;

async function commit({ nodes, clock }: OpenedStores, certname: string, text: string): Promise<number> {
  const at = clock.now();
  await nodes.markSeen(certname, 'production', at);
  const node = await nodes.want(certname, 'test', at, { asked: false });
  const generation = node?.wanted ?? 0;
  const pointer = { codeId: null, namedCode: [], compiledAt: at, durationMs: 1, exported: '' };
  const catalog = { hash: digestSha256(text), ...pointer };
  expect(await nodes.commit({ certname, generation, catalog, failure: null, inputs: NO_INPUTS, at })).toBe(true);
  return at;
}

describeStores('nodes that are notified of changed catalogs', (open) => {
  it('are due by the changes that their commits leave behind, each once', async () => {
    const stores = await open();
    await new FreshnessPolicies(stores.documents).put('default', readPolicyEntry({ notify: 'now' }));
    await stores.takeChanges();
    for (const name of [A, B]) await commit(stores, name, 'first');
    const [recorder, book] = [createDueRecorder(stores), new NotifyBook(stores.documents)];
    expect(await recordChanges(await stores.takeChanges(), recorder)).toBe(0);
    await commit(stores, A, 'first');
    await commit(stores, B, 'second');
    const compiledAt = await commit(stores, B, 'third');
    const changes = await stores.takeChanges();
    await recordChanges(changes, recorder);
    // The same changes again.
    await recordChanges(changes, recorder);
    const due = await book.listDue(LANE, 10, '');
    expect(due).toMatchObject([{ certname: B, compiledAt, tries: 0 }]);
    expect(await book.listLanes()).toEqual([LANE]);
    const [node] = due;
    if (node === undefined) return;
    await book.putNotified({ ...node, lane: LANE, job: 1, at: stores.clock.now() });
    await book.removeDue(LANE, node);
    // Also after the node was notified.
    await recordChanges(changes, recorder);
    expect(await book.count(10)).toEqual({ due: 0, later: 0, parked: 0, dead: 0 });
    await stores.nodes.delete(B);
    await recordChanges(await stores.takeChanges(), recorder);
    expect(await book.getNotified(B)).toBeNull();
  });

  it('keep the newest catalog, whatever is removed or put back', async () => {
    const { documents } = await open();
    const book = new NotifyBook(documents);
    const [older, newer] = [1, 2].map((compiledAt) => ({ certname: A, compiledAt, dueAt: compiledAt, tries: 0 })) as [
      Parameters<NotifyBook['addDue']>[1],
      Parameters<NotifyBook['addDue']>[1],
    ];
    await book.addDue(LANE, older);
    await book.addDue(LANE, newer);
    await book.removeDue(LANE, older);
    await book.restoreDue(LANE, older);
    expect(await book.listDue(LANE, 10, '')).toEqual([newer]);
    await book.removeDue(LANE, newer);
    expect(await book.isDue(LANE, A)).toBe(false);
    await book.addLater(LANE, older, 5000);
    await book.addLater(LANE, newer, 4000);
    expect([await book.takeLater(3999, 10), await book.takeLater(5000, 10)]).toEqual([0, 2]);
    expect(await book.listDue(LANE, 10, '')).toEqual([newer]);
  });

  it('wait for their connections, and are dead letters, as often as there are nodes', async () => {
    const { documents } = await open();
    const book = new NotifyBook(documents);
    const node = { certname: A, compiledAt: 1, dueAt: 1, tries: 5 };
    const waiting = { lane: LANE, node };
    const newer = { lane: LANE, node: { ...node, compiledAt: 2 } };
    await book.park(waiting);
    await book.park(newer);
    await book.unpark(waiting);
    expect(await book.getParked(A)).toEqual(newer);
    const shards = await Promise.all(Array.from({ length: 16 }, (_, shard) => book.listParked(shard, 10, '')));
    expect(shards.flat()).toEqual([newer]);
    await book.bury({ ...waiting, reason: 'disabled', at: 3 });
    await book.bury({ ...newer, reason: 'disabled', at: 4 });
    expect(await book.listDead(10)).toEqual([{ ...newer, reason: 'disabled', at: 4 }]);
    expect(await book.count(10)).toEqual({ due: 0, later: 0, parked: 1, dead: 1 });
    await book.forget(A);
    expect(await book.count(10)).toEqual({ due: 0, later: 0, parked: 0, dead: 0 });
  });

  it('have rollouts that an operator lets go on, and one process that has them', async () => {
    const stores = await open();
    const rollouts = new RolloutStore(stores.documents);
    const paused = { job: 3, codeId: null, at: 1, reason: 'worse', nodes: [A] };
    const wave = { job: 3, canaries: 1, phase: 'canary', since: null, codeId: 'c', isSuperseded: false } as const;
    const rollout = { ...NEW_ROLLOUT, paused, waves: [wave], cursor: A };
    expect(await rollouts.get(LANE)).toEqual(NEW_ROLLOUT);
    await rollouts.put(LANE, rollout);
    expect(await rollouts.list()).toEqual([{ lane: LANE, rollout }]);
    expect([await rollouts.resume(4), await rollouts.isToResume(LANE, 3)]).toEqual([false, false]);
    expect([await rollouts.resume(3), await rollouts.isToResume(LANE, 3)]).toEqual([true, true]);
    const [one, other] = [new NotifyLease(stores, 'one'), new NotifyLease(stores, 'other')];
    expect([await one.hold(), await other.hold()]).toEqual(['new', 'elsewhere']);
    await one.release();
    expect([await other.hold(), await one.hold()]).toEqual(['new', 'elsewhere']);
  });
});
