import { beforeEach, describe, expect, it } from 'vitest';
import { BACK, BASE, HOLD, TimeBudget } from '../../../../shared/puppet/ruby/channel.ts';
import { type DeterministicRuby, ReplayingConnection } from '../../../../shared/puppet/ruby/replaying-connection.ts';
import { RubyHost } from '../../../../shared/puppet/ruby/ruby-host.ts';
import type { RubyConnection } from '../../../../shared/puppet/ruby/ruby-session.ts';
import { startThread } from '../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { NO_CALLBACKS } from '../../../helpers/ruby-callbacks.ts';

const budget = new TimeBudget(1000);

/** Ruby whose answer is all that it was asked since the saved state. */
class Recorder implements DeterministicRuby {
  readonly frames: string[] = [];
  readonly memoryKilobytes = 0;
  readonly processorWaitMs = 0;
  randomDraws = 0;
  #saved = '';
  #state = '';
  #isDue = false;
  #reply = '';

  send(frame: string): void {
    if (this.#isDue) this.#restore(this.#saved);
    this.#isDue = false;
    this.frames.push(frame);
    if (frame === HOLD) this.#saved = this.#state;
    else if (frame === BASE) this.#restore('');
    else this.#state += frame;
    this.#reply = frame === HOLD || frame === BASE ? '{"kept":true}' : this.#state;
  }

  receive(): string {
    return this.#reply;
  }

  joinBack(): void {
    this.#isDue = true;
  }

  end(): void {
    this.frames.push('end');
  }

  /** Makes later answers differ. */
  spoil(): void {
    this.#saved += '!';
  }

  #restore(state: string): void {
    this.frames.push('restore');
    this.#state = state;
  }
}

function ask(connection: RubyConnection, ...frames: readonly string[]): readonly string[] {
  return frames.map((frame) => {
    connection.send(frame, budget);
    return connection.receive(budget);
  });
}

describe('a connection that replays', () => {
  let ruby = new Recorder();
  let connection = new ReplayingConnection(ruby);
  beforeEach(() => {
    ruby = new Recorder();
    connection = new ReplayingConnection(ruby);
  });

  it('answers equal frames after the same state from memory', () => {
    expect(ask(connection, 'a', 'b')).toEqual(['a', 'ab']);
    expect(ask(connection, BACK, 'a', 'b')).toEqual(['{"kept":true}', 'a', 'ab']);
    connection.joinBack();
    expect(ask(connection, 'a')).toEqual(['a']);
    expect(ruby.frames).toEqual(['a', 'b']);
  });

  it('has Ruby make up for the exchanges before the first new frame', () => {
    ask(connection, 'a', 'b');
    connection.joinBack();
    expect(ask(connection, 'a', 'c', 'b')).toEqual(['a', 'ac', 'acb']);
    connection.joinBack();
    expect(ask(connection, 'a', 'b', 'b')).toEqual(['a', 'ab', 'abb']);
    expect(ruby.frames).toEqual(['a', 'b', 'restore', 'a', 'c', 'b', 'restore', 'a', 'b', 'b']);
  });

  it('knows only what follows the saved state', () => {
    ask(connection, 'a', HOLD, 'b', BACK);
    expect(ask(connection, 'b', 'a')).toEqual(['ab', 'aba']);
    expect(ask(connection, BASE, 'b')).toEqual(['{"kept":true}', 'b']);
    expect(ruby.frames).toEqual(['a', HOLD, 'restore', 'b', 'restore', 'b', 'a', BASE, 'restore', 'b']);
  });

  it('saves a state that it has only replayed', () => {
    ask(connection, 'a', 'b', BACK, 'a', HOLD);
    expect(ask(connection, 'c')).toEqual(['ac']);
    expect(ruby.frames).toEqual(['a', 'b', 'restore', 'a', HOLD, 'restore', 'c']);
  });

  it('ends Ruby that answers otherwise than before', () => {
    ask(connection, 'a', BACK);
    ruby.spoil();
    expect(() => ask(connection, 'a', 'b')).toThrow('it answers otherwise than before');
  });

  it('forgets what follows a random number', () => {
    ask(connection, 'a');
    ruby.randomDraws += 1;
    ask(connection, 'b', 'c', BACK, 'a', 'b', 'c');
    expect(ruby.frames).toEqual(['a', 'b', 'c', 'restore', 'a', 'b', 'c']);
  });

  it('forgets all beyond its limit', () => {
    connection = new ReplayingConnection(ruby, 6);
    ask(connection, 'a', BACK, 'b', BACK, 'c', BACK, 'd', BACK, 'd', BACK, 'a');
    expect(ruby.frames.filter((frame) => frame !== 'restore')).toEqual(['a', 'b', 'c', 'd', 'a']);
  });
});

describe('Ruby in WebAssembly', () => {
  it('is asked in a compile only for what it was not asked before', () => {
    const asked: string[] = [];
    const ruby = new RubyHost({
      connect: () => {
        const thread = startThread({});
        const send = thread.send;
        return new ReplayingConnection(
          Object.assign(thread, {
            send: (frame: string, limit: TimeBudget) => {
              if (frame.startsWith('{"op":"erb"')) asked.push(frame);
              send(frame, limit);
            },
          }),
        );
      },
      timeLimitMs: 20_000,
      memoryKilobytes: Number.POSITIVE_INFINITY,
      rendersAll: true,
    });
    const compile = (...texts: readonly string[]) => {
      ruby.beginCompile('x');
      const rendered = texts.map((text, at) => ruby.renderTemplate({ path: `/t${at}`, text }, NO_CALLBACKS));
      ruby.endCompile();
      return rendered;
    };
    const [count, show, draw] = ['<% $n = ($n || 0) + 1 %><%= $n %>', '<%= $n.inspect %>', '<%= rand(2**64) %>'];
    compile(count, show, draw);
    expect(compile(count, show)).toEqual(['1', '1']);
    asked.length = 0;
    expect(compile(count, show)).toEqual(['1', '1']);
    expect(asked).toHaveLength(0);
    expect(compile(count, count, show)).toEqual(['1', '2', '2']);
    expect(asked).toHaveLength(3);
    const drawn = [compile(draw), compile(draw), compile(draw)];
    expect(new Set(drawn.flat()).size).toBe(3);
    ruby.close();
  });
});
