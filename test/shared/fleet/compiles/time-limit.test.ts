import { describe, expect, it } from 'vitest';
import { runWithTimeLimit, TimeLimitReached } from '../../../../shared/fleet/compiles/time-limit.ts';
import { createWasmRuby } from '../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { NO_CALLBACKS } from '../../../helpers/ruby-callbacks.ts';

const ENOUGH_MS = 60_000;

describe('withinTime', () => {
  it('gives what the work gives', () => {
    expect(runWithTimeLimit(ENOUGH_MS, () => [1, 2])).toEqual([1, 2]);
  });

  it('throws what the work throws', () => {
    const error = new TypeError('no good');
    expect(() =>
      runWithTimeLimit(ENOUGH_MS, () => {
        throw error;
      }),
    ).toThrow(error);
  });

  it('ends work that does not end, and none of its `finally` runs', () => {
    let rounds = 0;
    const endless = () => {
      for (;;) {
        try {
          for (;;) rounds += 1;
        } finally {
          rounds = 0;
        }
      }
    };
    expect(() => runWithTimeLimit(50, endless)).toThrow(new TimeLimitReached(50));
    expect(rounds).toBeGreaterThan(0);
    expect(runWithTimeLimit(ENOUGH_MS, () => 'works on')).toBe('works on');
  });

  it('ends work that waits for Ruby, and Ruby works on', () => {
    const ruby = createWasmRuby({ timeLimitMs: ENOUGH_MS });
    const render = (text: string) => ruby.renderTemplate({ path: '/t.erb', text }, NO_CALLBACKS);
    try {
      ruby.beginCompile('code');
      expect(render('<%= 1 + 1 %>')).toBe('2');
      expect(() => runWithTimeLimit(200, () => render('<% loop {} %>'))).toThrow(new TimeLimitReached(200));
      ruby.beginCompile('code');
      expect(render('<%= 1 + 2 %>')).toBe('3');
    } finally {
      ruby.close();
    }
  });
});
