import { afterEach, expect, it } from 'vitest';
import { type StatusListener, startStatusListener } from '../../../../shared/orchestrator/broker/status-listener.ts';
import { BrokerWorld } from '../../../helpers/broker-world.ts';

const listeners: StatusListener[] = [];
afterEach(() => {
  for (const listener of listeners.splice(0)) listener.close();
});

async function start() {
  const { broker } = new BrokerWorld();
  const listener = await startStatusListener(broker, '127.0.0.1', 0);
  listeners.push(listener);
  const ask = async (path: string, method = 'GET') => {
    const response = await fetch(`http://127.0.0.1:${listener.port}${path}`, { method });
    return [response.status, await response.text()];
  };
  return { broker, listener, ask };
}

it('answers the status of a broker over HTTP, and nothing else', async () => {
  const { ask } = await start();
  expect(await ask('/status/v1/simple')).toEqual([200, 'running']);
  expect(await ask('/status/v1/simple/broker-service')).toEqual([200, 'running']);
  expect(await ask('/pcp2/agent')).toEqual([404, 'Not Found']);
  expect(await ask('/status/v1/simple', 'POST')).toEqual([404, 'Not Found']);
});

it('says that the broker stops, so that a load balancer leaves it', async () => {
  const { broker, ask } = await start();
  await broker.stop();
  expect(await ask('/status/v1/simple')).toEqual([503, 'stopping']);
});

it('rejects when the port is taken', async () => {
  const { broker, listener } = await start();
  await expect(startStatusListener(broker, '127.0.0.1', listener.port)).rejects.toThrow(
    'the port is in use by another program',
  );
});
