import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keepFailureEvent } from '../../../../shared/fleet/failures/failure-events.ts';
import type { FailureGroup } from '../../../../shared/fleet/failures/failure-group.ts';
import {
  keepDeadLetter,
  listDeadLetters,
  sendLettersAgain,
} from '../../../../shared/inventory/forward/dead-letters.ts';
import { postAlerts } from '../../../../shared/inventory/forward/scheduled-alerts.ts';
import { ManualClock, MemoryDocuments } from '../../../helpers/memory-stores.ts';

const GROUP: Omit<FailureGroup, 'message'> = {
  ...{ id: '0123456789abcdef', kind: 'run', environment: 'production', resource: 'File[/a]' },
  ...{ lines: [], count: 1, nodes: ['a.test'], firstAt: 0, lastAt: 1, deploy: null, closedAt: null },
};

let stores: { readonly clock: ManualClock; readonly documents: MemoryDocuments };
let receiver: Server;
let url: string;
let answers: number[];
let bodies: string[];
let troubles: string[];

beforeEach(async () => {
  stores = { clock: new ManualClock(Date.UTC(2026, 10, 20)), documents: new MemoryDocuments() };
  [answers, bodies, troubles] = [[], [], []];
  receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      bodies.push(JSON.parse(body).failure.message);
      response.writeHead(answers.shift() ?? 200).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const address = receiver.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/services/T0/B0`;
});
afterEach(() => {
  receiver.close();
});

const post = (to: string | null = url) => postAlerts(to, stores, (message) => void troubles.push(message));

async function happen(message: string): Promise<void> {
  stores.clock.time += 1000;
  await keepFailureEvent(stores.documents, { at: stores.clock.now(), what: 'opened', group: { ...GROUP, message } });
}

it('posts each event once, from the first call on', async () => {
  await happen('before');
  await post();
  await happen('one');
  await happen('two');
  await post();
  await post();
  expect([bodies, troubles]).toEqual([['one', 'two'], []]);
});

it('goes on with the next call where the receiver was away', async () => {
  await post();
  await happen('one');
  answers = [503];
  await post();
  await post();
  expect(bodies).toEqual(['one', 'one']);
  expect(troubles).toEqual([expect.stringContaining('answered with status 503')]);
});

it('keeps a dead letter, and posts it when an operator wants it', async () => {
  await post();
  await happen('one');
  answers = [400];
  await post();
  const letters = () => listDeadLetters('alert-url', stores.documents);
  expect((await letters()).map(({ reason }) => reason)).toEqual([expect.stringContaining('status 400')]);
  await sendLettersAgain(await letters(), stores.documents);
  await post();
  expect([bodies, await letters()]).toEqual([['one', 'one'], []]);
});

it('posts nothing while another process does', async () => {
  await post();
  await happen('one');
  await stores.documents.put('leases', 'alerts', { until: stores.clock.now() + 1000, holder: 1 });
  await post();
  expect(bodies).toEqual([]);
  stores.clock.time += 1001;
  await post();
  expect(bodies).toEqual(['one']);
});

it('takes dead letters back where there is no address', async () => {
  const letter = {
    target: 'alert-url',
    certname: '',
    command: 'send alert',
    report: null,
    reason: 'status 400',
    at: 1,
  };
  await keepDeadLetter({ ...letter, target: 'alert-url' }, stores.documents);
  await sendLettersAgain(await listDeadLetters('alert-url', stores.documents), stores.documents);
  await post(null);
  expect(await listDeadLetters('alert-url', stores.documents)).toEqual([
    expect.objectContaining({ reason: 'no alertUrl is configured', isDue: false }),
  ]);
  expect(troubles).toEqual([]);
});

it('reports an address that it cannot use', async () => {
  await post('ftp://hooks.test/x');
  expect(troubles).toEqual([expect.stringContaining("'ftp://hooks.test/x' is refused")]);
});
