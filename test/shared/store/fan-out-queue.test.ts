import { expect, it } from 'vitest';
import type { FanOutMessage, FanOutQueue } from '../../../shared/store/ports/fan-out-queue.ts';
import { describeStores } from '../../helpers/store-implementations.ts';

const message = (chain: number): FanOutMessage => ({ environment: 'production', revision: 'production 3@5', chain });

async function receiveAll(queue: FanOutQueue, count: number) {
  const received = [];
  for (let round = 0; round < 40 && received.length < count; round += 1) received.push(...(await queue.receive(10)));
  return received;
}

describeStores('FanOutQueue', (open) => {
  it('delivers each message to one receiver, up to a limit', async () => {
    const { fanOut } = await open();
    const sent = Array.from({ length: 23 }, (_, chain) => message(chain));
    await fanOut.send(sent);
    const first = await fanOut.receive(3);
    expect(first.length).toBeLessThanOrEqual(3);
    const all = [...first, ...(await receiveAll(fanOut, 23 - first.length))];
    expect(all.map((one) => one.message).toSorted((a, b) => a.chain - b.chain)).toEqual(sent);
    expect(await fanOut.receive(10)).toEqual([]);
  });

  it('delivers a message again when its receiver says so, and not when it is done', async () => {
    const { fanOut } = await open();
    await fanOut.send([message(1)]);
    const [first] = await receiveAll(fanOut, 1);
    if (first) await fanOut.retryAfter(first, 0);
    const [second] = await receiveAll(fanOut, 1);
    expect(second?.message).toEqual(message(1));
    if (second) await fanOut.acknowledge(second);
    if (second) await fanOut.retryAfter(second, 0);
    expect(await fanOut.receive(10)).toEqual([]);
  });

  it('takes no messages', async () => {
    const { fanOut } = await open();
    await fanOut.send([]);
    expect(await fanOut.receive(10)).toEqual([]);
  });
});
