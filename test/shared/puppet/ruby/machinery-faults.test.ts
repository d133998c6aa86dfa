import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runWithTimeLimit, TimeLimitReached } from '../../../../shared/fleet/compiles/time-limit.ts';
import type { RubyPort } from '../../../../shared/puppet/evaluator/ruby-port.ts';
import { createProcessRuby } from '../../../../shared/puppet/ruby/process/process-host.ts';
import { RubyHost } from '../../../../shared/puppet/ruby/ruby-host.ts';
import type { RubyConnection } from '../../../../shared/puppet/ruby/ruby-session.ts';
import { cacheFolder } from '../../../../shared/puppet/ruby/wasm/image-folder.ts';
import { ByteReader } from '../../../../shared/puppet/ruby/wasm/wasm-bytes.ts';
import { createWasmRuby, startThread, type WasmRubyOptions } from '../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { imageName } from '../../../../shared/puppet/ruby/wasm/wasm-image.ts';
import { imageKey, moduleName, sideFiles } from '../../../../shared/puppet/ruby/wasm/wasm-module.ts';
import { readSections, SECTION } from '../../../../shared/puppet/ruby/wasm/wasm-sections.ts';
import { NO_CALLBACKS } from '../../../helpers/ruby-callbacks.ts';
import { TrappingRuby } from '../../../helpers/trapping-ruby.ts';

/** Before the module in its file. */
const DIGEST_BYTES = 4;
const IMAGE = imageName(imageKey(sideFiles()));
/**
 * A module is compiled once a process for each limit of memory: each test here has a limit of its
 * own.
 */
let memoryLimitBytes = 1 << 28;
let folder = '';
let opened: (RubyPort & { close(): void })[] = [];
beforeEach(() => {
  memoryLimitBytes += 1 << 20;
  folder = mkdtempSync(join(tmpdir(), 'ruby-faults-'));
  opened = [];
});
afterEach(() => {
  for (const ruby of opened) ruby.close();
  // A thread that made Ruby's image may still write when it is closed.
  rmSync(folder, { recursive: true, maxRetries: 20, retryDelay: 50 });
});

/** Puts what a Ruby that started before has left into the folder of this test. */
function fillFolder(...names: readonly string[]): void {
  const cache = cacheFolder() ?? '';
  for (const name of names) {
    if (!existsSync(join(cache, name))) expect(rendered(hostOf(() => startThread({})))).toBe('42');
    cpSync(join(cache, name), join(folder, name));
  }
}

function wasm(options: WasmRubyOptions = {}) {
  const ruby = createWasmRuby({ cacheFolder: folder, memoryLimitBytes, rendersAll: true, ...options });
  opened.push(ruby);
  return ruby;
}

function hostOf(connect: () => RubyConnection): RubyHost {
  const ruby = new RubyHost({
    connect,
    timeLimitMs: 5000,
    memoryKilobytes: Number.POSITIVE_INFINITY,
    rendersAll: true,
  });
  opened.push(ruby);
  return ruby;
}

/** What rendering gives, or the name and message of the error. */
function rendered(ruby: RubyPort, text = '<%= 6 * 7 %>'): string {
  try {
    return String(ruby.renderTemplate({ path: 't', text }, NO_CALLBACKS));
  } catch (error) {
    return String(error).split('\n')[0]?.replaceAll(folder, 'FOLDER') ?? '';
  }
}

/** Takes the last instruction away from all functions. */
function removeEnds(module: Buffer): void {
  const code = [...readSections(module)].find(({ id }) => id === SECTION.code);
  const reader = new ByteReader(code?.body ?? Buffer.alloc(1));
  for (let left = reader.readNumber(); left > 0; left -= 1) {
    const body = reader.readVector();
    body[body.length - 1] = 0;
  }
}

describe('is a fault of the machinery', () => {
  it("Ruby's module: a folder in its place", () => {
    mkdirSync(join(folder, moduleName()));
    expect(rendered(wasm())).toBe(
      'MachineryFault: Ruby does not start: EISDIR: illegal operation on a directory, read',
    );
  });

  it("Ruby's image: a folder in its place", () => {
    fillFolder(moduleName());
    mkdirSync(join(folder, IMAGE));
    expect(rendered(wasm())).toBe(
      'MachineryFault: Ruby was stopped in t: Error: EISDIR: illegal operation on a directory, read',
    );
  });

  it("Ruby's side: no such folder", () => {
    expect(rendered(wasm({ sideFolder: join(folder, 'none') }))).toBe(
      "MachineryFault: Ruby does not start: ENOENT: no such file or directory, scandir 'FOLDER/none'",
    );
  });

  it.each([
    ['is not there', 'none', 'ENOENT'],
    ['may not be run', 'plain', 'EACCES'],
  ])('a command for a process that %s', (_what, name, code) => {
    writeFileSync(join(folder, 'plain'), '', { mode: 0o600 });
    const ruby = createProcessRuby({ command: join(folder, name), rendersAll: true });
    opened.push(ruby);
    expect(rendered(ruby)).toBe(`MachineryFault: Ruby was stopped in t: spawn FOLDER/${name} ${code}`);
  });

  it('a file that may not be read, and Ruby starts as soon as it may', () => {
    const denied = Object.assign(new Error("EACCES: permission denied, open 'm'"), { code: 'EACCES', syscall: 'open' });
    let isDenied = true;
    const ruby = hostOf(() => {
      if (isDenied) throw denied;
      return startThread({});
    });
    expect(rendered(ruby)).toBe("MachineryFault: Ruby does not start: EACCES: permission denied, open 'm'");
    isDenied = false;
    expect(rendered(ruby)).toBe('42');
  });

  it('a thread that fails in the middle of a request, whatever it runs', () => {
    const text = `
      import { workerData } from 'node:worker_threads';
      import { RubyEnd } from ${JSON.stringify(new URL('../../../../shared/puppet/ruby/channel.ts', import.meta.url))};
      const channel = new RubyEnd(workerData.channel);
      channel.read(1 << 18);
      channel.write(Buffer.from('{"ret":null}\\n'));
      channel.read(1 << 18);
      throw new RangeError('no room');`;
    fillFolder(moduleName());
    const file = join(folder, 'thread.mjs');
    writeFileSync(file, text);
    expect(rendered(wasm({ threadModule: pathToFileURL(file) }))).toBe(
      'MachineryFault: Ruby was stopped in t: its thread ended: RangeError: no room (file://FOLDER/thread.mjs)',
    );
  });

  it('a thread that never gets up, when the compile is cut off meanwhile', () => {
    const file = join(folder, 'thread.mjs');
    writeFileSync(file, 'for (;;);');
    let threadModule: URL | undefined = pathToFileURL(file);
    const ruby = hostOf(() => startThread(threadModule ? { threadModule } : {}));
    ruby.beginCompile('code');
    expect(() => runWithTimeLimit(200, () => rendered(ruby))).toThrow(new TimeLimitReached(200));
    expect(ruby.isStarting).toBe(true);
    threadModule = undefined;
    ruby.beginCompile('code');
    expect(rendered(ruby)).toBe('42');
    expect(ruby.isStarting).toBe(false);
  });
});

describe('is none', () => {
  it.each<[string, (module: Buffer) => void]>([
    ['at its end', (module) => module.fill(0xff, module.length >> 1)],
    ['in functions, which V8 looks at only when they run', removeEnds],
  ])('a module of Ruby that is damaged %s: it is made anew', (_what, damage) => {
    fillFolder(IMAGE, moduleName());
    expect(rendered(wasm())).toBe('42');
    const path = join(folder, moduleName());
    const sound = readFileSync(path);
    const damaged = Buffer.from(sound);
    damage(damaged.subarray(DIGEST_BYTES));
    expect(damaged.equals(sound)).toBe(false);
    writeFileSync(path, damaged);
    memoryLimitBytes += 1 << 20;
    expect(rendered(wasm())).toBe('42');
    expect(readFileSync(path).equals(sound)).toBe(true);
  });

  it('code that called itself too deeply before it asks for Ruby', () => {
    const overflow = new RangeError('Maximum call stack size exceeded');
    const ruby = hostOf(() => {
      throw overflow;
    });
    expect(rendered(ruby)).toBe('RangeError: Maximum call stack size exceeded');
  });

  it('template code that never ends, and none that waits for Ruby to start', () => {
    fillFolder(IMAGE, moduleName());
    const ruby = wasm({ timeLimitMs: 60_000 });
    ruby.beginCompile('code');
    expect(rendered(ruby)).toBe('42');
    expect(() => runWithTimeLimit(200, () => rendered(ruby, '<% loop {} %>'))).toThrow(new TimeLimitReached(200));
    expect(ruby.isStarting).toBe(false);
  });

  it('a Ruby that does not get back to its start: another one is started', () => {
    const ruby = new TrappingRuby();
    opened.push(ruby.host);
    ruby.host.beginCompile('code');
    expect(rendered(ruby.host)).toBe('42');
    ruby.trapOn((frame) => frame.includes('"op":"back"'));
    ruby.host.beginCompile('code');
    expect(rendered(ruby.host)).toBe('42');
    expect([ruby.started, ruby.ended]).toEqual([2, 1]);
  });
});
