import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { answerCache } from '../../../../../shared/console/client/data/answer-cache.ts';
import { AnswerReader, type ReadProgress } from '../../../../../shared/console/client/data/answer-reader.ts';

const SECOND = 1_000;

describe('AnswerReader', () => {
  /** Each answer of the server; one that takes `tookMs` milliseconds. */
  let answers: (() => Response)[];
  let tookMs: number;
  let asked: number;
  let progress: ReadProgress;
  let reader: AnswerReader;

  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal('fetch', async () => {
      asked += 1;
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      await new Promise((resolve) => setTimeout(resolve, tookMs));
      return answer?.();
    });
    [answers, tookMs, asked] = [[() => Response.json('known')], 0, 0];
    progress = { key: null, kept: null, fault: null, retryAt: null, isLoading: false };
    reader = new AnswerReader('/x', (change) => {
      progress = change(progress);
    });
  });
  afterEach(() => {
    reader.stop();
    answerCache.clear();
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  const fail = () => new Response('', { status: 503 });
  const wait = (milliseconds = 0) => vi.advanceTimersByTimeAsync(milliseconds);

  it('keeps what is known while the server fails, and asks less and less often', async () => {
    reader.ask();
    await wait();
    answers = [fail];
    reader.refresh(false);
    await wait();
    expect(progress).toMatchObject({ kept: { data: 'known' }, fault: { kind: 'unavailable' }, isLoading: false });
    await wait(600 * SECOND);
    // The first answer, the failure, and eight tries after 1, 2, 4, 8, 16, 30, 30 and 30 seconds.
    expect([asked, progress.retryAt]).toEqual([10, null]);
  });

  it('does not ask more often since events and time tell it to while it fails', async () => {
    answers = [fail];
    reader.ask();
    for (let second = 0; second < 600; second += 5) {
      reader.refresh(true);
      if (second < 60) reader.refresh(false);
      await wait(5 * SECOND);
    }
    expect(asked).toBe(9);
    reader.refresh(false);
    await wait(600 * SECOND);
    expect(asked).toBe(10);
  });

  it('begins anew when the user asks', async () => {
    answers = [fail, () => Response.json('known')];
    reader.ask();
    await wait();
    reader.ask();
    await wait();
    expect([asked, progress.kept?.data, progress.fault, progress.retryAt]).toEqual([2, 'known', null, null]);
  });

  it('reads once more, and not at the same time, when much happens during a read', async () => {
    tookMs = SECOND;
    reader.ask();
    for (const isPolled of [false, true, false]) reader.refresh(isPolled);
    await wait(SECOND - 1);
    expect(asked).toBe(1);
    await wait(10 * SECOND);
    expect([asked, progress.isLoading]).toEqual([2, false]);
  });

  it.each([
    [10, 1_000],
    [300, 6_000],
    [9_000, 30_000],
  ])('waits after an event the longer, the longer an answer takes: %i ms', async (took, pause) => {
    tookMs = took;
    reader.ask();
    await wait(took);
    expect(reader.pauseMs).toBe(pause);
  });

  it('shows nothing and asks nothing after its end', async () => {
    answers = [fail];
    reader.ask();
    await wait();
    const before = progress;
    reader.stop();
    await wait(60 * SECOND);
    expect([asked, progress]).toEqual([1, before]);
  });
});
