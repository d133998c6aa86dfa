import { Worker, type WorkerOptions } from 'node:worker_threads';
import { failingCode } from './channel.ts';

export interface RubyThread {
  /** The module that the thread runs. */
  readonly module: URL;
  /** Where Node keeps what it compiles of the module, types taken out; null for nowhere. */
  readonly cacheFolder: string | null;
  /** Handed to the module as it is. */
  readonly data: { readonly channel: SharedArrayBuffer };
  readonly resourceLimits?: WorkerOptions['resourceLimits'];
}

/**
 * Starts a thread that holds the process up no more than its channel does. When the module can't be
 * loaded, or throws what nobody catches, the channel fails with the cause: who waits for an answer
 * does so with Atomics.wait and hears of no event.
 */
export function startRubyThread({ module, cacheFolder, data, resourceLimits }: RubyThread): Worker {
  const worker = new Worker(threadCode(module, cacheFolder), {
    eval: true,
    workerData: data,
    env: {},
    execArgv: [],
    ...(resourceLimits && { resourceLimits }),
  });
  worker.unref();
  // The channel tells of errors; without a listener they would end the process.
  worker.on('error', () => undefined);
  return worker;
}

/** The thread's first code: what else it runs may be what is broken. */
function threadCode(module: URL, cacheFolder: string | null): string {
  const keep = cacheFolder === null ? '' : `require('node:module').enableCompileCache(${JSON.stringify(cacheFolder)});`;
  return `
    const { workerData } = require('node:worker_threads');
    const module = ${JSON.stringify(module)};
    const end = (error) => {
      const reason = 'its thread ended: ' + error + ' (' + module + ')';
      ${failingCode('workerData.channel', 'reason')}
      process.exit(1);
    };
    process.on('uncaughtException', end);
    ${keep}
    import(module).catch(end);`;
}
