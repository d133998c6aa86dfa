/** Ruby in WebAssembly, in a thread of its own: no files but its own, no environment, no network, a bounded memory. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { createChannelBuffer, HostEnd } from './channel.ts';
import type { RubyPort } from './port.ts';
import { type RubyConnection, RubyHost } from './ruby-host.ts';
import { rubyModule } from './wasm-module.ts';
import type { WasmWorkerData } from './wasm-worker.ts';

export interface WasmRubyOptions {
  /** Milliseconds that Ruby may work on one request; 10,000 when not given. */
  readonly timeLimitMs?: number;
  /** Bytes that Ruby's memory may grow to; 512 MiB when not given. Three quarters of it make Ruby start anew. */
  readonly memoryLimitBytes?: number;
  /** Nanoseconds since 1970 at which Ruby's clock stands; 0 when not given. */
  readonly time?: bigint;
  /** The folder of Ruby's side, whose `main.rb` runs. */
  readonly sideFolder?: string;
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
    memoryKilobytes: (memoryLimit * RESTART_SHARE) / 1024,
  });
}

function startThread(options: WasmRubyOptions, memoryLimit: number): RubyConnection {
  const channel = createChannelBuffer();
  const data: WasmWorkerData = {
    module: rubyModule(memoryLimit),
    channel,
    files: filesIn(options.sideFolder ?? fileURLToPath(new URL('./side', import.meta.url))),
    main: 'main.rb',
    time: options.time ?? 0n,
  };
  const worker = new Worker(new URL('./wasm-worker.ts', import.meta.url), {
    workerData: data,
    env: {},
    execArgv: [],
    resourceLimits: { stackSizeMb: STACK_MEGABYTES, maxOldGenerationSizeMb: HEAP_MEGABYTES },
  });
  worker.unref();
  // The channel tells of errors; without a listener they would end the process.
  worker.on('error', () => undefined);
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

function filesIn(folder: string): ReadonlyMap<string, Uint8Array> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.rb'));
  return new Map(names.map((name) => [name.replaceAll('\\', '/'), readFileSync(`${folder}/${name}`)]));
}
