/**
 * Runs Ruby in WebAssembly, in its own thread. It has only its own files, no environment variables,
 * no network, and bounded memory.
 */
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { RubyPort } from '../../evaluator/ruby-port.ts';
import { createChannelBuffer, HostEnd } from '../channel.ts';
import { type DeterministicRuby, ReplayingConnection } from '../replaying-connection.ts';
import { RubyHost } from '../ruby-host.ts';
import { startRubyThread } from '../ruby-thread.ts';
import { cacheFolder } from './image-folder.ts';
import { findRubyOrigin, rubyModule, sideFiles } from './wasm-module.ts';
import type { WasmWorkerData } from './wasm-worker.ts';

export interface WasmRubyOptions {
  /** Time limit for one request in milliseconds; default 10,000. */
  readonly timeLimitMs?: number;
  /**
   * Limit of Ruby's memory in bytes; default 512 MiB. A Ruby with more than half of it is ended
   * after the compile, and the next compile starts another.
   */
  readonly memoryLimitBytes?: number;
  /** The time of Ruby's clock in nanoseconds since 1970; default 0. */
  readonly time?: bigint;
  /** Whether Ruby renders all templates, also those that native code can render; default false. */
  readonly rendersAll?: boolean;
  /** Folder of the Ruby side, whose `api.rb` is loaded. */
  readonly sideFolder?: string;
  /** Folder for the image of a booted Ruby; default next to the packages. */
  readonly cacheFolder?: string;
  /** Module of the thread; default `wasm-worker.ts`. */
  readonly threadModule?: URL;
}

const TIME_LIMIT_MS = 10_000;
const MEMORY_LIMIT_BYTES = 1 << 29;
const KEPT_SHARE = 0.5;
/** A booted Ruby has 94 MiB; one that has loaded some modules is not worth ending. */
const KEPT_BYTES = 160 << 20;
const STACK_MEGABYTES = 16;
const HEAP_MEGABYTES = 256;

/** Creates a Ruby that its first request starts. */
export function createWasmRuby(options: WasmRubyOptions = {}): RubyPort & { close(): void } {
  const memoryLimit = options.memoryLimitBytes ?? MEMORY_LIMIT_BYTES;
  return new RubyHost({
    connect: () => new ReplayingConnection(startThread(options, memoryLimit)),
    timeLimitMs: options.timeLimitMs ?? TIME_LIMIT_MS,
    rendersAll: options.rendersAll ?? false,
    drawNumber: (below) => randomInt(below),
    memoryKilobytes: Math.max(memoryLimit * KEPT_SHARE, KEPT_BYTES) / 1024,
  });
}

/** Starts a thread with Ruby; the start may still be in progress on return. */
export function startThread(options: WasmRubyOptions, memoryLimit: number = MEMORY_LIMIT_BYTES): DeterministicRuby {
  const channel = createChannelBuffer();
  const cache = options.cacheFolder ?? cacheFolder();
  const imageFolders = [fileURLToPath(new URL('.', import.meta.url)), ...(cache === null ? [] : [cache])];
  const files = sideFiles(options.sideFolder);
  const data: WasmWorkerData = {
    ruby: rubyModule(memoryLimit, { imageFolders, cacheFolder: cache }),
    channel,
    files,
    origin: findRubyOrigin(files),
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
    joinBack: () => end.joinBack(),
    get memoryKilobytes() {
      return end.memoryKilobytes;
    },
    get randomDraws() {
      return end.randomDraws;
    },
    get processorWaitMs() {
      return end.processorWaitMs;
    },
    end: () => void worker.terminate(),
  };
}

/** Returns the thread's module: its source, or its compiled form in a bundle. */
function threadModule(): URL {
  const source = new URL('./wasm-worker.ts', import.meta.url);
  return existsSync(source) ? source : new URL('./wasm-worker.mjs', import.meta.url);
}
