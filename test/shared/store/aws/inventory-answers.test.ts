import type { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { describe, expect, it } from 'vitest';
import { INVENTORY_VARIABLES } from '../../../../shared/config/inventory.ts';
import type { InventoryReply } from '../../../../shared/puppet/compiler/inventory-questions.ts';
import { AwsInventoryAnswers, openInventoryAnswers } from '../../../../shared/store/aws/inventory-answers.ts';
import { answerInventoryCall } from '../../../../shared/store/inventory-call.ts';
import type {
  InventoryAnswers,
  InventoryApi,
  PassedRequest,
} from '../../../../shared/store/ports/inventory-answers.ts';
import { StoreUnavailable } from '../../../../shared/store/ports/store-errors.ts';
import { MemoryBlobs } from '../../../helpers/memory-stores.ts';

const WATCHER = { certname: 'a.test', generation: 3 };
const blobs = new MemoryBlobs();

/** Notes its calls; answers each query with itself. */
class Echo implements InventoryAnswers, InventoryApi {
  readonly calls: unknown[] = [];

  async ask(queries: readonly string[], watcher: unknown): Promise<ReadonlyMap<string, InventoryReply>> {
    this.calls.push(['ask', queries, watcher]);
    if (queries.includes('away')) throw new StoreUnavailable('the database is away');
    return new Map(
      queries.map((query) => [query, { digest: `d ${query}`, rows: JSON.stringify([query]), error: null }]),
    );
  }

  async digest(queries: readonly string[], watcher: unknown): Promise<ReadonlyMap<string, string>> {
    this.calls.push(['digest', queries, watcher]);
    return new Map(queries.map((query) => [query, `d ${query}`]));
  }

  async keepOnly(queries: readonly string[], watcher: unknown): Promise<void> {
    this.calls.push(['keepOnly', queries, watcher]);
  }

  async pass(request: PassedRequest) {
    if (request.path === '/away') throw new StoreUnavailable('the database is away');
    return { status: 200, headers: { 'X-Records': '1' }, body: JSON.stringify(request) };
  }
}

interface Result {
  readonly FunctionError?: string;
  readonly Payload?: Uint8Array;
}

/** As Lambda: texts in, texts out. */
function clientOf(respond: (payload: string) => Promise<Result>): Pick<LambdaClient, 'send'> {
  const send = async ({ input }: InvokeCommand) => {
    expect(input.FunctionName).toBe('answers');
    return respond(String(input.Payload));
  };
  return { send: send as LambdaClient['send'] };
}

function connect(answers: InventoryAnswers & InventoryApi): AwsInventoryAnswers {
  let stored = 0;
  const client = clientOf(async (payload) => {
    stored += 1;
    const large = { blobs, makeKey: () => `requests/inventory-${stored}` };
    const result = await answerInventoryCall(JSON.parse(payload), { answers, api: answers }, large);
    return { Payload: Buffer.from(JSON.stringify(result)) };
  });
  return new AwsInventoryAnswers(client, 'answers', blobs);
}

describe('answers through a function', () => {
  it('are those of the inventory', async () => {
    const echo = new Echo();
    const answers = connect(echo);
    const replies = await answers.ask(['one', 'two'], WATCHER);
    expect([...replies]).toEqual([
      ['one', { digest: 'd one', rows: '["one"]', error: null }],
      ['two', { digest: 'd two', rows: '["two"]', error: null }],
    ]);
    expect([...(await answers.digest(['one'], null))]).toEqual([['one', 'd one']]);
    await answers.keepOnly(['two'], WATCHER);
    expect(echo.calls).toEqual([
      ['ask', ['one', 'two'], WATCHER],
      ['digest', ['one'], null],
      ['keepOnly', ['two'], WATCHER],
    ]);
  });

  it.each(['', 'x'.repeat(2_000_000)])('are those to requests that are passed on, too', async (body) => {
    const request = { method: 'POST', path: '/pdb/query/v4', parameters: [], headers: {}, origin: 'https://a', body };
    const { body: text, ...rest } = await connect(new Echo()).pass(request);
    expect([rest, JSON.parse(text)]).toEqual([{ status: 200, headers: { 'X-Records': '1' } }, request]);
    await expect(connect(new Echo()).pass({ ...request, path: '/away' })).rejects.toThrow(
      new StoreUnavailable('the inventory: the database is away'),
    );
  });

  it('cost no call without a question', async () => {
    const echo = new Echo();
    expect(await connect(echo).ask([], WATCHER)).toEqual(new Map());
    expect(echo.calls).toEqual([]);
  });

  it('go through a blob when they are large', async () => {
    const query = 'x'.repeat(800_000);
    const { rows = null } = (await connect(new Echo()).ask([query], null)).get(query) ?? {};
    expect(rows).toBe(JSON.stringify([query]));
    expect(await blobs.has('requests/inventory-1')).toBe(true);
  });

  it.each<[string, Result, string]>([
    ['fails', { FunctionError: 'Unhandled', Payload: Buffer.from('{"errorMessage":"timed out"}') }, 'timed out'],
    ['gives too few', { Payload: Buffer.from('{"values":[]}') }, 'other answers than were asked for'],
    ['says where nothing is', { Payload: Buffer.from('{"stored":"requests/gone"}') }, 'requests/gone is gone'],
  ])('are away while the function %s', async (_, result, message) => {
    const answers = new AwsInventoryAnswers(
      clientOf(async () => result),
      'answers',
      blobs,
    );
    const error = await answers.ask(['one'], null).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(String(error)).toContain(message);
  });

  it('are away while the database is', async () => {
    await expect(connect(new Echo()).ask(['away'], null)).rejects.toThrow(
      new StoreUnavailable('the inventory: the database is away'),
    );
  });

  it('are there only where the function has a name', () => {
    const open = (name: string) => openInventoryAnswers({ [INVENTORY_VARIABLES.answers]: name }, blobs);
    expect(openInventoryAnswers({}, blobs)).toBeNull();
    expect(open('')).toBeNull();
    expect(open('answers')).toBeInstanceOf(AwsInventoryAnswers);
  });
});
