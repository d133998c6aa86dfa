import { randomInt } from 'node:crypto';
import type { RubyPort } from '../../evaluator/ruby-port.ts';
/**
 * A native Ruby as a child process, for modules that need its speed or the C extensions of its
 * standard library. RubyGems is disabled because it searches the file system, and files must come
 * from the environment. The child is not sandboxed: use it only with trusted modules.
 */
import { createChannelBuffer, HostEnd } from '../channel.ts';
import { RubyHost } from '../ruby-host.ts';
import type { RubyConnection } from '../ruby-session.ts';
import { startRubyThread } from '../ruby-thread.ts';
import { SIDE_FOLDER } from '../side-folder.ts';
import type { ProcessUser, ProcessWorkerData } from './process-worker.ts';

interface ProcessRubyOptions {
  /** Default `ruby`, searched in the `PATH` of `env`. */
  readonly command?: string;
  /** The child's environment variables; default none. */
  readonly env?: Readonly<Record<string, string>>;
  /** Time limit for one request in milliseconds; default 10,000. */
  readonly timeLimitMs?: number;
  /** Limit of Ruby's address space in bytes; default 1 GiB. */
  readonly memoryLimitBytes?: number;
  /**
   * The user that Ruby runs as. It should be able to read none of our files. Only root can set it;
   * default the user of this process.
   */
  readonly user?: ProcessUser;
  /** Names of commands that code of modules may start; default none. */
  readonly commands?: readonly string[];
  /** Whether Ruby renders all templates, also those that native code can render; default false. */
  readonly rendersAll?: boolean;
  /** Folder of the Ruby side, whose `main.rb` runs. */
  readonly sideFolder?: string;
  /** Module of the thread between us and Ruby; default `process-worker.ts`. */
  readonly threadModule?: URL;
}

/**
 * Lists the weaknesses of a Ruby process compared with WebAssembly, as text for an operator. `uid`:
 * the user id of this process. Both disable RubyGems; a native Ruby can also load the C extensions
 * of its standard library.
 */
export function processWeaknesses(options: ProcessRubyOptions, uid: number): readonly string[] {
  const isOther = options.user !== undefined && options.user.uid !== uid && options.user.uid !== 0;
  return [
    ...(isOther
      ? []
      : ['Ruby runs as the user of the compiler: code of modules can read its environment and memory through /proc']),
    'code of modules that goes past our library reaches files, processes and the network as that user',
    'the clock is that of the machine',
  ];
}

const TIME_LIMIT_MS = 10_000;
const MEMORY_LIMIT_BYTES = 1 << 30;
const RUBY_OPTIONS = ['--disable=gems,did_you_mean,error_highlight', '-rrbconfig', '-EUTF-8:UTF-8'];

/** Creates a Ruby that its first request starts. */
export function createProcessRuby(options: ProcessRubyOptions = {}): RubyPort & { close(): void } {
  return new RubyHost({
    connect: () => startProcess(options),
    timeLimitMs: options.timeLimitMs ?? TIME_LIMIT_MS,
    rendersAll: options.rendersAll ?? false,
    drawNumber: (below) => randomInt(below),
    memoryKilobytes: Number.POSITIVE_INFINITY,
  });
}

function startProcess(options: ProcessRubyOptions): RubyConnection {
  const channel = createChannelBuffer();
  const folder = options.sideFolder ?? SIDE_FOLDER;
  const data: ProcessWorkerData = {
    channel,
    command: options.command ?? 'ruby',
    args: [
      ...RUBY_OPTIONS,
      `${folder}/main.rb`,
      String(options.memoryLimitBytes ?? MEMORY_LIMIT_BYTES),
      ...(options.commands ?? []),
    ],
    env: options.env ?? {},
    user: options.user ?? null,
  };
  const module = options.threadModule ?? new URL('./process-worker.ts', import.meta.url);
  const worker = startRubyThread({ module, cacheFolder: null, data });
  const end = new HostEnd(channel);
  return {
    send: (frame, budget) => end.send(frame, budget),
    receive: (budget) => end.receive(budget),
    memoryKilobytes: 0,
    get processorWaitMs() {
      return end.processorWaitMs;
    },
    end: () => {
      if (end.processId > 0) stop(end.processId);
      void worker.terminate();
    },
  };
}

function stop(processId: number): void {
  try {
    // Its saved states are processes of the same group.
    process.kill(-processId, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
