/**
 * Ruby in WebAssembly, in a thread of its own: no files but its own, no environment, no network, a
 * bounded memory.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { RubyPort } from '../../evaluator/ruby-port.ts';
import { createChannelBuffer, HostEnd } from '../channel.ts';
import { RubyHost } from '../ruby-host.ts';
import type { RubyConnection } from '../ruby-session.ts';
import { startRubyThread } from '../ruby-thread.ts';
import { cacheFolder } from './image-folder.ts';
import { imageKey, rubyModule, sideFiles } from './wasm-module.ts';
import type { WasmWorkerData } from './wasm-worker.ts';

export interface WasmRubyOptions {
  /** Milliseconds that Ruby may work on one request; 10,000 when not given. */
  readonly timeLimitMs?: number;
  /**
   * Bytes that Ruby's memory may grow to; 512 MiB when not given. Three quarters of it make Ruby
   * start anew.
   */
  readonly memoryLimitBytes?: number;
  /** Nanoseconds since 1970 at which Ruby's clock stands; 0 when not given. */
  readonly time?: bigint;
  /** Whether Ruby renders all templates, those too that need not have it; false when not given. */
  readonly rendersAll?: boolean;
  /** The folder of Ruby's side, whose `api.rb` is loaded. */
  readonly sideFolder?: string;
  /** Where a booted Ruby is kept for later starts; beside the packages when not given. */
  readonly cacheFolder?: string;
  /** What the thread runs; `wasm-worker.ts` when not given. */
  readonly threadModule?: URL;
}

const TIME_LIMIT_MS = 10_000;
const MEMORY_LIMIT_BYTES = 1 << 29;
const RESTART_SHARE = 0.75;
const STACK_MEGABYTES = 16;
const HEAP_MEGABYTES = 256;

/** A Ruby that is started by its first request. */
export function createWasmRuby(options: WasmRubyOptions = {}): RubyPort & { close(): void } {
  const memoryLimit = options.memoryLimitBytes ?? MEMORY_LIMIT_BYTES;
  return new RubyHost({
    connect: () => startThread(options, memoryLimit),
    timeLimitMs: options.timeLimitMs ?? TIME_LIMIT_MS,
    rendersAll: options.rendersAll ?? false,
    memoryKilobytes: (memoryLimit * RESTART_SHARE) / 1024,
  });
}

/** Starts a thread with Ruby in it; it may still be on its way when this returns. */
export function startThread(options: WasmRubyOptions, memoryLimit: number = MEMORY_LIMIT_BYTES): RubyConnection {
  const channel = createChannelBuffer();
  const cache = options.cacheFolder ?? cacheFolder();
  const imageFolders = [fileURLToPath(new URL('.', import.meta.url)), ...(cache === null ? [] : [cache])];
  const files = sideFiles(options.sideFolder);
  const data: WasmWorkerData = {
    ruby: rubyModule(memoryLimit, { imageFolders, cacheFolder: cache }),
    channel,
    files,
    imageKey: imageKey(files),
    time: options.time ?? 0n,
    imageFolders,
    cacheFolder: cache,
  };
  const worker = startRubyThread({
    module: options.threadModule ?? threadModule(),
    cacheFolder: cache,
    data,
    resourceLimits: { stackSizeMb: STACK_MEGABYTES, maxOldGenerationSizeMb: HEAP_MEGABYTES },
  });
  const end = new HostEnd(channel);
  return {
    send: (frame, budget) => end.send(frame, budget),
    receive: (budget) => end.receive(budget),
    get memoryKilobytes() {
      return end.memoryKilobytes;
    },
    end: () => void worker.terminate(),
  };
}

/** What the thread runs: its source, or in a bundle what is made of it. */
function threadModule(): URL {
  const source = new URL('./wasm-worker.ts', import.meta.url);
  return existsSync(source) ? source : new URL('./wasm-worker.mjs', import.meta.url);
}
