import { expect, it } from 'vitest';
import { RubyHost } from '../../../../shared/puppet/ruby/ruby-host.ts';
import { startThread } from '../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { NO_CALLBACKS } from '../../../helpers/ruby-callbacks.ts';

const LIMIT_BYTES = 1 << 29;

it('gives the memory of a Ruby back after a compile that needed much of it', () => {
  let [started, ended] = [0, 0];
  const ruby = new RubyHost({
    connect: () => {
      started += 1;
      const thread = startThread({}, LIMIT_BYTES);
      return {
        send: thread.send,
        receive: thread.receive,
        processorWaitMs: 0,
        get memoryKilobytes() {
          return thread.memoryKilobytes;
        },
        end: () => {
          ended += 1;
          thread.end();
        },
      };
    },
    timeLimitMs: 20_000,
    memoryKilobytes: LIMIT_BYTES / 2 / 1024,
    rendersAll: true,
  });
  const render = (text: string) => ruby.renderTemplate({ path: 't', text }, NO_CALLBACKS);
  ruby.endCompile();
  expect(render('<%= 6 * 7 %>')).toBe('42');
  ruby.endCompile();
  expect([started, ended]).toEqual([1, 0]);
  expect(render('<%= ("x" * 300_000_000).size %>')).toBe('300000000');
  expect([started, ended]).toEqual([1, 0]);
  ruby.endCompile();
  expect([started, ended]).toEqual([1, 1]);
  expect(render('<%= 6 * 7 %>')).toBe('42');
  ruby.close();
  expect([started, ended]).toEqual([2, 2]);
});
