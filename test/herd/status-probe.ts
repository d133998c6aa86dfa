/**
 * A thread that asks `/status/v1/simple` every 50 ms, so that the herd's own work does not count.
 * It posts the times in milliseconds when it is told to stop.
 */
import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

const PAUSE_MS = 50;

async function probe(port: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  const times: number[] = [];
  let isStopping = false;
  parentPort?.once('message', () => {
    isStopping = true;
  });
  while (!isStopping) {
    const began = performance.now();
    const outgoing = request({ agent, host: '127.0.0.1', port, path: '/status/v1/simple' });
    outgoing.end();
    const [response] = await once(outgoing, 'response');
    response.resume();
    await once(response, 'end');
    times.push(performance.now() - began);
    await setTimeout(PAUSE_MS);
  }
  agent.destroy();
  parentPort?.postMessage(times);
}

await probe(workerData.port);
