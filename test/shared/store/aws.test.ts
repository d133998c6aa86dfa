import { createServer, type Server } from 'node:net';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { awsClients, openAwsStores } from '../../../shared/store/aws/stores.ts';
import { Table } from '../../../shared/store/aws/table.ts';
import { StoreUnavailable } from '../../../shared/store/ports/store-errors.ts';

let silent: Server;
let endpoint: string;
beforeAll(async () => {
  silent = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  const address = silent.address();
  endpoint = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  for (const service of ['DYNAMODB', 'S3', 'SQS']) vi.stubEnv(`AWS_ENDPOINT_URL_${service}`, endpoint);
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  vi.stubEnv('AWS_MAX_ATTEMPTS', '1');
});
afterAll(() => {
  vi.unstubAllEnvs();
  silent.close();
});

describe('an endpoint that does not answer', () => {
  it.each([
    ['table', () => openAwsStores({ UNDERSTUDY_NODES_TABLE: 't' }, awsClients(50)).nodes.get('web01')],
    ['bucket', () => openAwsStores({ UNDERSTUDY_BUCKET: 'b' }, awsClients(50)).blobs.get('files/x')],
    [
      'express queue',
      () =>
        openAwsStores({ UNDERSTUDY_EXPRESS_QUEUE_URL: `${endpoint}/q` }, awsClients(50)).queue.send('express', [
          { certname: 'web01', generation: 1, reason: 'test', at: 1 },
        ]),
    ],
  ])('is unavailable after a while: %s', async (what, call) => {
    const error: unknown = await call().catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(String(error)).toContain(what);
  });
});

it('what a batch leaves undone is sent again, after a pause', async () => {
  const sent: number[] = [];
  const client = {
    send: async ({ input }: { input: { RequestItems: Record<string, readonly unknown[]> } }) => {
      const items = input.RequestItems.t ?? [];
      sent.push(performance.now());
      return sent.length < 4 ? { UnprocessedItems: { t: items.slice(1) } } : {};
    },
  };
  const items = Array.from({ length: 6 }, (_, index) => ({ from: 'x', to: String(index) }));
  await new Table(client as unknown as DynamoDBDocumentClient, 't').batchPut(items);
  const pauses = sent.slice(1).map((at, index) => at - (sent[index] ?? 0));
  expect(pauses).toHaveLength(3);
  expect(pauses.map((pause, index) => pause >= 20 * 2 ** index)).toEqual([true, true, true]);
});
