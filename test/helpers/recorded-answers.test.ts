import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Mode, RecordedAnswers, type Sources, StaleAnswers } from './recorded-answers.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'understudy-recorded-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function open(mode: Mode, sources: Sources = { ruby: '3.2', 'a.rb': 'x' }): RecordedAnswers {
  return new RecordedAnswers({
    name: 'sums',
    test: join(process.cwd(), 'test/sums.test.ts'),
    sources: () => sources,
    mode,
    folder,
  });
}

function record(answers: Readonly<Record<string, unknown>>, sources?: Sources): void {
  const recording = open('record', sources);
  for (const [input, answer] of Object.entries(answers)) recording.get(input, () => answer);
  recording.finish();
}

const mustNotAsk = (): never => {
  throw new Error('the reference was asked');
};

/** The whole message about what is recorded. */
function stale(fault: string): StaleAnswers {
  return new StaleAnswers(
    `${relative(process.cwd(), join(folder, 'sums.json.br'))} ${fault}.\n` +
      'Renew it with: UPDATE_FIXTURES=1 npx vitest run test/sums.test.ts\n' +
      'Or run without it: TEST_LIVE=1 npx vitest run test/sums.test.ts',
  );
}

describe('RecordedAnswers', () => {
  it('plays back what was recorded, as JSON has it', async () => {
    record({ '1 + 1': { sum: 2, rest: undefined } });
    const played = open('play');
    expect(played.get('1 + 1', mustNotAsk)).toEqual({ sum: 2 });
    expect(await played.fetch('1 + 1', mustNotAsk)).toEqual({ sum: 2 });
    played.finish();
  });

  it('asks the reference each time when it is to be live, and gives the same form', async () => {
    record({ '1 + 1': { sum: 2 } });
    const live = open('live');
    expect(live.get('1 + 1', () => ({ sum: 2, rest: undefined }))).toStrictEqual({ sum: 2 });
    expect(await live.fetch('1 + 1', async () => ({ sum: 2 }))).toEqual({ sum: 2 });
    live.finish();
  });

  it('records the same bytes in whatever order was asked', () => {
    const bytes = () => readFileSync(join(folder, 'sums.json.br'));
    record({ a: 1, b: 2 });
    const first = bytes();
    record({ b: 2, a: 1 });
    expect(bytes().equals(first)).toBe(true);
  });

  it('refuses what was never recorded', () => {
    expect(() => open('play').get('1 + 1', mustNotAsk)).toThrow(stale('is not there'));
    record({ '1 + 1': 2 });
    expect(() => open('play').get('1 + 2', mustNotAsk)).toThrow(stale('has no answer to 1 + 2'));
  });

  it.each<[string, Sources, string]>([
    ['changed', { ruby: '3.3', 'a.rb': 'x' }, 'ruby'],
    ['new', { ruby: '3.2', 'a.rb': 'x', 'b.rb': 'y' }, 'b.rb'],
    ['gone', { ruby: '3.2' }, 'a.rb'],
  ])('refuses answers whose sources are %s', (_, sources, name) => {
    record({ '1 + 1': 2 });
    expect(() => open('play', sources).get('1 + 1', mustNotAsk)).toThrow(stale(`was recorded with another ${name}`));
  });

  it('names some of many sources', () => {
    record({ '1 + 1': 2 }, {});
    const sources = Object.fromEntries([...'gfedcba'].map((name) => [name, 'x']));
    expect(() => open('play', sources).get('1 + 1', mustNotAsk)).toThrow(
      stale('was recorded with another a, b, c, d, e and 2 more'),
    );
  });

  it('plays back where a source cannot be looked at', () => {
    record({ '1 + 1': 2 });
    expect(open('play', { ruby: null, 'a.rb': 'x' }).get('1 + 1', mustNotAsk)).toBe(2);
  });

  it('confirms what a test is about to fail on', () => {
    record({ '1 + 1': 2 });
    open('play').confirm('1 + 1', () => 2);
    expect(() => open('play').confirm('1 + 1', () => 3)).toThrow(
      stale('has another answer than the reference gives now to 1 + 1'),
    );
    open('live').confirm('1 + 1', mustNotAsk);
  });

  it('finds out when it is live that another answer is recorded, unless that was of other sources', () => {
    record({ '1 + 1': 3 });
    const live = (sources?: Sources) => {
      const answers = open('live', sources);
      answers.get('1 + 1', () => 2);
      return answers;
    };
    expect(() => live().finish()).toThrow(stale('has not what the reference gives now'));
    live({ ruby: '3.3', 'a.rb': 'x' }).finish();
  });
});
