import { describe, expect, it } from 'vitest';
import {
  IncompleteMessages,
  type IncompleteSource,
} from '../../../../shared/orchestrator/broker/incomplete-messages.ts';

const MOST = 10_000;

class Source implements IncompleteSource {
  incompleteBytes = 0;
  isGivenUp = false;

  giveUp(): void {
    this.isGivenUp = true;
  }
}

describe('incomplete messages', () => {
  it('are bounded over all connections: the one that holds most is given up', () => {
    const incomplete = new IncompleteMessages(MOST);
    const [small, large, medium] = [new Source(), new Source(), new Source()];
    incomplete.add(small, 500);
    incomplete.add(large, 5000);
    incomplete.add(medium, 3000);
    expect([small, large, medium].some(({ isGivenUp }) => isGivenUp)).toBe(false);
    incomplete.add(small, 2000);
    expect([small, large, medium].map(({ isGivenUp }) => isGivenUp)).toEqual([false, true, false]);
    expect(incomplete.givenUp).toBe(1);
    expect(incomplete.bytes).toBe(small.incompleteBytes + medium.incompleteBytes);
    incomplete.forget(large);
    expect(incomplete.bytes).toBeLessThan(MOST);
  });

  it('count no more when they are complete', () => {
    const incomplete = new IncompleteMessages(MOST);
    const source = new Source();
    for (let round = 0; round < 100; round += 1) {
      incomplete.add(source, 9000);
      incomplete.forget(source);
      incomplete.forget(source);
    }
    expect([source.isGivenUp, incomplete.bytes]).toEqual([false, 0]);
  });

  it('of one byte a chunk count with what a chunk takes', () => {
    const incomplete = new IncompleteMessages(MOST);
    const source = new Source();
    let chunks = 0;
    for (; !source.isGivenUp && chunks < MOST; chunks += 1) incomplete.add(source, 1);
    expect(chunks).toBe(39);
  });
});
