import { describe, expect, it } from 'vitest';
import { readHeldBody } from '../../../../../shared/http/body/read-body.ts';
import type { InventoryHttpRequest } from '../../../../../shared/http/exchange/inventory-exchange.ts';
import { answerPassedRequest, passQueries } from '../../../../../shared/http/routes/inventory/passed-requests.ts';
import {
  DatabaseUnavailable,
  type InventoryDatabase,
} from '../../../../../shared/inventory/database/inventory-database.ts';
import { InventoryReader } from '../../../../../shared/inventory/query/inventory-reader.ts';
import type { InventoryApi, PassedAnswer } from '../../../../../shared/store/ports/inventory-answers.ts';
import { StoreUnavailable } from '../../../../../shared/store/ports/store-errors.ts';
import { ManualClock } from '../../../../helpers/memory-stores.ts';

const clock = new ManualClock();
const NO_WORK = async (): Promise<never> => expect.fail('not expected');

/** Gives these rows to each query. */
function readerOf(rows: () => readonly string[]): InventoryReader {
  const database: InventoryDatabase = {
    transaction: NO_WORK,
    perform: NO_WORK,
    close: async () => {},
    async *read() {
      yield rows().map((row) => [row]);
    },
  };
  return new InventoryReader(database, { timeMs: 1000, rows: 10, megabytes: 4 });
}

/** The other process: texts in, texts out. */
function apiOf(rows: () => readonly string[], mostBytes = 1000): InventoryApi {
  const services = { reader: readerOf(rows), clock, reportFault: (error: unknown) => expect.fail(String(error)) };
  return {
    pass: async (request) => {
      const answer = await answerPassedRequest(JSON.parse(JSON.stringify(request)), services, mostBytes);
      return JSON.parse(JSON.stringify(answer));
    },
  };
}

const request = (change: Partial<InventoryHttpRequest> = {}): InventoryHttpRequest => ({
  method: 'GET',
  path: '/pdb/query/v4',
  parameters: new Map([['query', 'nodes[certname] {}']]),
  headers: new Map([
    ['accept', 'application/json'],
    ['x-authentication', 'secret'],
  ]),
  origin: 'https://puppet.example.com:8443',
  readBody: readHeldBody(Buffer.from('{"query":["=","certname","a.test"]}'), undefined),
  ...change,
});

const ROWS = ['{"certname":"a.test"}', '{"certname":"b.test"}'];

async function send(api: InventoryApi, sent: InventoryHttpRequest, faults: unknown[] = []): Promise<string> {
  const { status, headers, body } = await passQueries(api, clock, (error) => faults.push(error))(sent);
  return [status, headers['Retry-After'] ?? [], body].flat().join(' ');
}

describe('a query that is passed on', () => {
  it.each<[string, Partial<InventoryHttpRequest>, string]>([
    ['in the address', {}, `200 [${ROWS.join(',')}]`],
    ['in a body', { method: 'POST', path: '/pdb/query/v4/nodes', parameters: new Map() }, `200 [${ROWS.join(',')}]`],
    [
      'that is none',
      { parameters: new Map([['query', 'nodes {']]) },
      expect.stringMatching(/^400 PQL parse error at line 1, column 8/) as unknown as string,
    ],
    ['for another type', { headers: new Map([['accept', 'text/csv']]) }, '406 must accept application/json'],
    ['that is a command', { path: '/pdb/cmd/v1' }, '404 Only queries (/pdb/query/v4) are answered here'],
    ['of another prefix', { path: '/pdb/query/v40' }, '404 Only queries (/pdb/query/v4) are answered here'],
    [
      'with too long a body',
      {
        method: 'POST',
        readBody: readHeldBody(Buffer.alloc(1024 ** 2 + 1), undefined),
      },
      '413 The request body has more than 1048576 bytes',
    ],
  ])('%s is answered as by the inventory itself', async (_, change, expected) => {
    expect(
      await send(
        apiOf(() => ROWS),
        request(change),
      ),
    ).toEqual(expected);
  });

  it('carries no token, and nothing else than the answer depends on', async () => {
    const seen: unknown[] = [];
    const api = { pass: async (passed: unknown) => ({ status: 200, headers: {}, body: String(seen.push(passed)) }) };
    await send(api, request());
    expect(seen).toEqual([
      {
        method: 'GET',
        path: '/pdb/query/v4',
        parameters: [['query', 'nodes[certname] {}']],
        headers: { accept: 'application/json' },
        origin: 'https://puppet.example.com:8443',
        body: '',
      },
    ]);
  });

  it('gets no answer that is larger than it may be, but advice', async () => {
    expect(
      await send(
        apiOf(() => ROWS, 20),
        request(),
      ),
    ).toBe('413 The answer has more than 20 bytes; ask for less with limit and offset, or a projection');
  });

  it('is to come again while the inventory is away', async () => {
    const faults: unknown[] = [];
    const away = new StoreUnavailable('the inventory: no route');
    const api = { pass: () => Promise.reject(away) };
    expect(await send(api, request(), faults)).toMatch(/^503 [5-9] The inventory does not answer: ask again$/);
    expect(faults).toEqual([away]);
    const gone = () => {
      throw new DatabaseUnavailable('no connection');
    };
    expect(await send(apiOf(gone), request())).toMatch(/^503 /);
  });

  it('is to come again when ten are being answered', async () => {
    const answers: ((answer: PassedAnswer) => void)[] = [];
    const pass = passQueries({ pass: () => new Promise((resolve) => answers.push(resolve)) }, clock, NO_WORK);
    const ten = Array.from({ length: 10 }, () => pass(request()));
    expect(await pass(request())).toMatchObject({ status: 503, body: '10 queries are being answered: ask again' });
    expect(answers).toHaveLength(10);
    for (const answer of answers) answer({ status: 200, headers: {}, body: '[]' });
    expect((await Promise.all(ten)).map(({ status }) => status)).toEqual(Array(10).fill(200));
    const last = pass(request());
    await Promise.resolve();
    await Promise.resolve();
    answers.at(-1)?.({ status: 200, headers: {}, body: '[]' });
    expect((await last).status).toBe(200);
  });
});
