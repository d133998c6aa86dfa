import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ENVIRONMENT_VARIABLES } from '../../../../shared/config/deployment.ts';
import { findDeadLetters, redriveDeadLetters } from '../../../../shared/orchestrator/letters/dead-letters.ts';
import { openAwsStores } from '../../../../shared/store/aws/stores.ts';
import type { Stores } from '../../../../shared/store/ports/stores.ts';
import { deployNames, type Emulators, startEmulators } from '../../../helpers/aws-emulators.ts';

const ALL = { certname: null, id: null };
const JOB = { certname: 'a.test', generation: 4, reason: 'fact x changed', at: 1000 };
const CHAIN = { environment: 'production', revision: 'production 3@5', chain: 7 };
const OTHERS = { transactionUuid: null, isDue: false, id: expect.any(String), at: expect.any(Number) };

let emulators: Emulators;
let names: Record<string, string>;
let stores: Stores;

beforeAll(async () => {
  emulators = await startEmulators();
});
afterAll(() => emulators.close());
beforeEach(async () => {
  names = await deployNames(emulators.clients, { visibilityMs: 60_000, maxReceives: 2 });
  stores = openAwsStores(names, emulators.clients);
});

/** Puts a message into a queue, of several the first, as somebody who may write to it. */
async function send(variable: keyof typeof ENVIRONMENT_VARIABLES, body: unknown): Promise<void> {
  const [QueueUrl = ''] = (names[ENVIRONMENT_VARIABLES[variable]] ?? '').split(' ');
  const MessageBody = typeof body === 'string' ? body : JSON.stringify(body);
  await emulators.clients.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
}

it.each([
  ['no JSON', '{', null, null, 'it is no JSON object'],
  ['null', null, null, null, 'it is no JSON object'],
  ['another shape', { certname: 'b.test', generation: '4', reason: 'x' }, 'b.test', 'x', 'no generation, no at'],
])('lists a compile message that is %s beside the others, and keeps it', async (_, body, certname, cause, fault) => {
  await send('deadLetterQueueUrls', body);
  await send('deadLetterQueueUrls', JOB);
  const reason = `the message is not a compile job: ${fault}`;
  const letters = await findDeadLetters('compile', ALL, stores);
  const odd = { ...OTHERS, queue: 'compile', content: 'catalog', certname, cause, reason, isReadable: false };
  expect(letters[0]).toEqual(odd);
  expect(letters[0]?.at).toBeGreaterThan(Date.UTC(2020));
  expect(letters.slice(1)).toMatchObject([{ certname: 'a.test', cause: 'fact x changed', isReadable: true }]);

  const unreadable = [odd];
  const alone = { certname: null, id: letters[0]?.id ?? '' };
  expect(await redriveDeadLetters('compile', alone, stores)).toEqual({ found: 1, redriven: 0, unreadable });
  expect(await redriveDeadLetters('compile', ALL, stores)).toEqual({ found: 2, redriven: 1, unreadable });
  expect(await stores.queue.redrive([alone.id])).toEqual([]);
  expect(await findDeadLetters('compile', ALL, stores)).toEqual([odd]);
});

it('finds a message that cannot be read by the certname that it has', async () => {
  await send('deadLetterQueueUrls', { certname: 'b.test' });
  await send('deadLetterQueueUrls', '{');
  expect(await findDeadLetters('compile', { certname: 'b.test', id: null }, stores)).toMatchObject([
    { certname: 'b.test', isReadable: false },
  ]);
});

it('lists chains of deploys, and sends them again', async () => {
  await send('fanOutDeadLetterQueueUrl', CHAIN);
  await send('fanOutDeadLetterQueueUrl', { environment: 'production' });
  const common = { ...OTHERS, queue: 'fan-out', certname: null, content: 'deploy' };
  const reason = 'the message is not a fan-out: no revision, no chain';
  const odd = { ...common, cause: 'deploy of production, revision unknown', reason, isReadable: false };
  const letters = await findDeadLetters('fan-out', ALL, stores);
  expect(letters.toSorted((one, other) => Number(other.isReadable) - Number(one.isReadable))).toEqual([
    {
      ...common,
      cause: 'deploy of production, revision production 3@5',
      reason: 'the log of the fan-out function says why chain 7 failed',
      isReadable: true,
    },
    odd,
  ]);
  expect(await stores.fanOut.countDeadLetters()).toBe(2);
  expect(await redriveDeadLetters('fan-out', ALL, stores)).toEqual({ found: 2, redriven: 1, unreadable: [odd] });
  expect(await stores.fanOut.receive(10)).toMatchObject([{ message: CHAIN }]);
  expect(await findDeadLetters('fan-out', ALL, stores)).toEqual([odd]);
});

it('receives the messages beside one that cannot be read', async () => {
  await send('fanOutQueueUrl', '{');
  await send('fanOutQueueUrl', CHAIN);
  expect(await stores.fanOut.receive(10)).toMatchObject([{ message: CHAIN }]);
  await send('expressQueueUrl', { certname: 'b.test' });
  await send('expressQueueUrl', JOB);
  expect(await stores.queue.receive(10, 0)).toMatchObject([{ job: JOB }]);
});
