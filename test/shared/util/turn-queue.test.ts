import { expect, it } from 'vitest';
import { TurnQueue } from '../../../shared/util/turn-queue.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it('runs a few pieces of work in each turn of the event loop, in order', async () => {
  const queue = new TurnQueue(2);
  const ran: number[] = [];
  for (let number = 1; number <= 5; number += 1) queue.add(() => ran.push(number));
  const afterTurns: number[] = [ran.length];
  for (let turn = 0; turn < 4; turn += 1) {
    await nextTurn();
    afterTurns.push(ran.length);
  }
  expect(ran).toEqual([1, 2, 3, 4, 5]);
  expect(afterTurns).toEqual([0, 2, 4, 5, 5]);
});

it('runs what comes while it works, and after it was empty', async () => {
  const queue = new TurnQueue(1);
  const ran: string[] = [];
  queue.add(() => {
    ran.push('first');
    queue.add(() => ran.push('second'));
  });
  await nextTurn();
  await nextTurn();
  queue.add(() => ran.push('third'));
  await nextTurn();
  expect(ran).toEqual(['first', 'second', 'third']);
});
