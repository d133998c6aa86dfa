/** Runs a server of `npm start` in a thread of its own, and measures that thread's work. */
import { parentPort, workerData } from 'node:worker_threads';
import { startLocalServer } from '../../shared/local/local-server.ts';
import { readLocalOptions } from '../../shared/local/options.ts';
import { LoopWatch } from './loop-watch.ts';

const { flags, variables, isCompiling } = workerData;
const STUCK = new URL('./stuck-worker.ts', import.meta.url);
const COMPILING = new URL('../../functions/local-worker.ts', import.meta.url);
const watch = new LoopWatch();
const server = await startLocalServer(readLocalOptions(flags, { workers: 1 }, variables), {
  hostname: 'localhost',
  uid: process.getuid?.() ?? 0,
  workerModule: isCompiling ? COMPILING : STUCK,
  planModule: new URL('../../functions/local-plan-worker.ts', import.meta.url),
  print: (line) => parentPort?.postMessage({ line }),
  onFailure: (error) => {
    throw error;
  },
  readLoad: () => 0,
});
const { port, pcpPort, accessPort, orchestratorPort, puppetdbPort, puppetdbTlsPort, consolePort } = server;
parentPort?.postMessage({
  ports: {
    frontDoor: port,
    broker: pcpPort,
    access: accessPort,
    orchestrator: orchestratorPort,
    inventory: puppetdbPort,
    inventoryTls: puppetdbTlsPort,
    console: consolePort,
  },
});
parentPort?.on('message', async (request) => {
  if (request === 'stop') {
    await server.stop();
    process.exit(0);
  }
  parentPort?.postMessage({ longestTurnMs: watch.takeLongestMs() });
});
