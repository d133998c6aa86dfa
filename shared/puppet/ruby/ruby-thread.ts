import { Worker, type WorkerOptions } from 'node:worker_threads';
import { failingCode } from './channel.ts';

interface RubyThread {
  /** The module that the thread runs. */
  readonly module: URL;
  /** Folder of Node's compile cache for the module, with types stripped; null for none. */
  readonly cacheFolder: string | null;
  /** Passed to the module unchanged. */
  readonly data: { readonly channel: SharedArrayBuffer };
  readonly resourceLimits?: WorkerOptions['resourceLimits'];
}

/**
 * Starts a thread that does not keep the process alive. When the module cannot be loaded, or throws
 * an uncaught error, the channel fails with the cause: the other side waits with Atomics.wait and
 * receives no events.
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
  // Errors are reported through the channel. Without a listener they would end the process.
  worker.on('error', () => undefined);
  return worker;
}

/**
 * The thread's first code. It depends on no module of ours, because any of them may fail to load.
 */
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
