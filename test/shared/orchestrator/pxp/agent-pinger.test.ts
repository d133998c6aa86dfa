import { describe, expect, it } from 'vitest';
import { AgentPinger } from '../../../../shared/orchestrator/pxp/agent-pinger.ts';
import type { PxpAnswer, PxpGateway, PxpRequest } from '../../../../shared/orchestrator/pxp/pxp-gateway.ts';
import { ManualClock } from '../../../helpers/memory-stores.ts';

const [A, B] = ['a.example.com', 'b.example.com'] as const;
const results = { kind: 'results', results: {} } as const;

/** Pings; `answer` says what agents send for a request, before it is taken over. */
async function ping(names: readonly string[], answer: (name: string, id: string) => readonly PxpAnswer[]) {
  const clock = new ManualClock();
  const requests: PxpRequest[] = [];
  let receive: (answer: PxpAnswer) => void = () => {};
  const gateway: PxpGateway = {
    broker: 'pcp://understudy/server',
    listConnected: async () => [],
    onConnect: () => {},
    listen: (listener) => {
      receive = listener;
    },
    request: async (name, request) => {
      requests.push(request);
      if (name.startsWith('off')) return 'Not connected.';
      clock.time += 20;
      for (const one of answer(name, request.transactionId)) receive(one);
      return null;
    },
  };
  return { pings: await new AgentPinger(gateway, clock).ping(names), requests };
}

describe('a ping of agents', () => {
  it('measures the time until each answers', async () => {
    const { pings, requests } = await ping([A, 'off.example.com'], (certname, transactionId) => [
      { certname, transactionId, content: results },
    ]);
    expect(pings).toEqual([
      { name: A, milliseconds: 20, reason: null },
      { name: 'off.example.com', milliseconds: null, reason: 'Not connected.' },
    ]);
    expect(requests[0]).toMatchObject({ module: 'ping', action: 'ping', params: {}, isBlocking: true });
    expect(new Set(requests.map(({ transactionId }) => transactionId)).size).toBe(2);
  });

  it('takes a refusal for an answer', async () => {
    const content = { kind: 'refused', description: 'unknown module: ping' } as const;
    const { pings } = await ping([A], (certname, transactionId) => [{ certname, transactionId, content }]);
    expect(pings).toEqual([{ name: A, milliseconds: 20, reason: null }]);
  });

  it('takes no answer from another node, and none that the request was accepted', async () => {
    const { pings } = await ping([A], (certname, transactionId) => [
      { certname: B, transactionId, content: results },
      { certname, transactionId, content: { kind: 'accepted' } },
      { certname, transactionId: 'x', content: results },
    ]);
    expect(pings).toEqual([{ name: A, milliseconds: null, reason: 'No answer within 5 seconds.' }]);
  });
});
