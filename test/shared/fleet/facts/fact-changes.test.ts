import { expect, it } from 'vitest';
import { noteFactChanges } from '../../../../shared/fleet/facts/fact-changes.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';

type Known = Parameters<typeof noteFactChanges>[2];

/** Notes facts one after another: what is known in the end, and the digest after each. */
async function noteAll(all: readonly Readonly<Record<string, bigint | string>>[]) {
  let known: Known = {};
  let before: PuppetHash | null = null;
  const digests: (string | undefined)[] = [];
  for (const one of all) {
    const facts = PuppetHash.of(Object.entries(one));
    const stored: PuppetHash | null = before;
    known = await noteFactChanges(facts, { intervalMs: 0, blocked: [] }, known, async () => stored);
    before = facts;
    digests.push(known.stable);
  }
  return { moving: known.moving, digests };
}

const counting = Array.from({ length: 6 }, (_, run) => BigInt(run));

it('leaves a fact out of the digest from its third change in a row on', async () => {
  const { moving, digests } = await noteAll(counting.map((run) => ({ kernel: 'Linux', run })));
  expect(moving).toEqual({ run: 3 });
  expect(new Set(digests).size).toBe(4);
  expect(digests.slice(3)).toEqual([digests[3], digests[3], digests[3]]);
});

it.each(['constructor', 'toString', 'hasOwnProperty'])('counts the changes of a fact %s', async (name) => {
  expect((await noteAll(counting.slice(0, 3).map((run) => ({ [name]: run })))).moving).toEqual({ [name]: 2 });
});

it('no longer counts a fact that stayed while another changed', async () => {
  const runs = [
    { first: 1n, second: 1n },
    { first: 2n, second: 1n },
    { first: 2n, second: 2n },
  ];
  expect((await noteAll(runs)).moving).toEqual({ second: 1 });
});

it('remembers forty names, also of facts that all change', async () => {
  const manyFacts = (run: bigint) => Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`f${at}`, run]));
  const { moving } = await noteAll(counting.slice(0, 3).map(manyFacts));
  expect(Object.entries(moving ?? {})).toEqual(Array.from({ length: 40 }, (_, at) => [`f${at}`, 2]));
});
