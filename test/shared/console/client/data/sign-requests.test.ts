import { expect, it } from 'vitest';
import { ApiFault } from '../../../../../shared/console/client/data/api-fault.ts';
import { signRequests } from '../../../../../shared/console/client/data/sign-requests.ts';

const NAMES = ['a.test', 'b.test', 'c.test'];
const signed = (name: string) => ({ name, state: 'signed', reason: null });

async function signWith(faults: Readonly<Record<string, Error>>) {
  const [asked, notes]: [string[], number[]] = [[], []];
  const outcomes = await signRequests(
    NAMES,
    (done) => notes.push(done),
    async (name) => {
      asked.push(name);
      const fault = faults[name];
      if (fault !== undefined) throw fault;
    },
  );
  return { outcomes, asked, notes };
}

it('signs one after the other, and counts', async () => {
  expect(await signWith({})).toEqual({ outcomes: NAMES.map(signed), asked: NAMES, notes: [1, 2, 3] });
});

it('goes on after a request that is refused', async () => {
  const { outcomes, asked } = await signWith({ 'a.test': new ApiFault('refused', 'It has other names.') });
  const failed = { name: 'a.test', state: 'failed', reason: 'It has other names.' };
  expect({ outcomes, asked }).toEqual({ outcomes: [failed, signed('b.test'), signed('c.test')], asked: NAMES });
});

it.each([
  [new ApiFault('unreachable', 'The server cannot be reached.'), 'The server cannot be reached.'],
  [new ApiFault('forbidden', 'You may not.'), 'You may not.'],
  [new TypeError('odd'), 'The page failed to do this.'],
])('sends no more after %s', async (fault, reason) => {
  const { outcomes, asked, notes } = await signWith({ 'b.test': fault });
  const skipped = (name: string) => ({ name, state: 'skipped', reason });
  expect(outcomes).toEqual([signed('a.test'), skipped('b.test'), skipped('c.test')]);
  expect([asked, notes]).toEqual([
    ['a.test', 'b.test'],
    [1, 2, 3],
  ]);
});
