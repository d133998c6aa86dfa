import type { RubyPort } from '../../evaluator/ruby-port.ts';
/**
 * A native Ruby as a child process, for modules that need its speed or the C extensions of its
 * standard library. RubyGems is off, since it looks for files and files are the environment's. It
 * is not confined: run it only where modules are trusted.
 */
import { createChannelBuffer, HostEnd } from '../channel.ts';
import { RubyHost } from '../ruby-host.ts';
import type { RubyConnection } from '../ruby-session.ts';
import { startRubyThread } from '../ruby-thread.ts';
import { SIDE_FOLDER } from '../side-folder.ts';
import type { ProcessUser, ProcessWorkerData } from './process-worker.ts';

export interface ProcessRubyOptions {
  /** `ruby` when not given, looked for in the `PATH` of `env`. */
  readonly command?: string;
  /** The child's environment variables; none when not given. */
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds that Ruby may work on one request; 10,000 when not given. */
  readonly timeLimitMs?: number;
  /** Bytes of address space that Ruby may have; 1 GiB when not given. */
  readonly memoryLimitBytes?: number;
  /**
   * Who Ruby runs as: a user that may read nothing of ours. Only root can choose; the same as this
   * process when not given.
   */
  readonly user?: ProcessUser;
  /** Whether Ruby renders all templates, those too that need not have it; false when not given. */
  readonly rendersAll?: boolean;
  /** The folder of Ruby's side, whose `main.rb` runs. */
  readonly sideFolder?: string;
  /** What the thread between us and Ruby runs; `process-worker.ts` when not given. */
  readonly threadModule?: URL;
}

/**
 * What is weaker than in WebAssembly where Ruby runs as a process, in words for an operator. `uid`:
 * that of this process. RubyGems is off in both; a native Ruby finds the C extensions of its own
 * standard library besides.
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

/** A Ruby that is started by its first request. */
export function createProcessRuby(options: ProcessRubyOptions = {}): RubyPort & { close(): void } {
  return new RubyHost({
    connect: () => startProcess(options),
    timeLimitMs: options.timeLimitMs ?? TIME_LIMIT_MS,
    rendersAll: options.rendersAll ?? false,
    memoryKilobytes: Number.POSITIVE_INFINITY,
  });
}

function startProcess(options: ProcessRubyOptions): RubyConnection {
  const channel = createChannelBuffer();
  const folder = options.sideFolder ?? SIDE_FOLDER;
  const data: ProcessWorkerData = {
    channel,
    command: options.command ?? 'ruby',
    args: [...RUBY_OPTIONS, `${folder}/main.rb`, String(options.memoryLimitBytes ?? MEMORY_LIMIT_BYTES)],
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
    end: () => {
      if (end.processId > 0) stop(end.processId);
      void worker.terminate();
    },
  };
}

function stop(processId: number): void {
  try {
    // The states that it keeps are processes of its group.
    process.kill(-processId, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}
