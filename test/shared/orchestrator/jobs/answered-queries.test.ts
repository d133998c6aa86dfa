import { describe, expect, it } from 'vitest';
import { AnsweredQueries } from '../../../../shared/orchestrator/jobs/inventory-queries.ts';
import { OrchestratorError } from '../../../../shared/orchestrator/jobs/orchestrator-error.ts';
import type { PassedAnswer, PassedRequest } from '../../../../shared/store/ports/inventory-answers.ts';
import { StoreUnavailable } from '../../../../shared/store/ports/store-errors.ts';

const QUERY = '["from","nodes"]';

/** What a query gives when the other process answers so; and the request that it got. */
async function ask(answer: Partial<PassedAnswer> | Error) {
  const asked: PassedRequest[] = [];
  const queries = new AnsweredQueries({
    ask: () => Promise.reject(new Error('nobody asks for nodes')),
    pass: async (request) => {
      asked.push(request);
      if (answer instanceof Error) throw answer;
      return { status: 200, headers: {}, body: '', ...answer };
    },
  });
  const outcome: unknown = await queries.ask(QUERY).catch((error: unknown) => error);
  return { outcome, asked };
}

describe('a query that is passed on', () => {
  it('gives the rows', async () => {
    const { outcome, asked } = await ask({ body: '[{"certname":"a"}]' });
    expect(outcome).toEqual([{ certname: 'a' }]);
    expect(asked).toEqual([
      { method: 'GET', path: '/pdb/query/v4', parameters: [['query', QUERY]], headers: {}, origin: '', body: '' },
    ]);
  });

  it.each([
    [{ status: 400, body: 'wrong' }, 'query-error', 'The inventory answered with status 400: wrong'],
    [{ status: 413, body: 'large' }, 'puppetdb-error', 'The inventory answered with status 413: large'],
    [{ status: 200, body: '{}' }, 'puppetdb-error', 'The inventory answered with status 200: {}'],
    [new StoreUnavailable('away'), 'puppetdb-error', 'The inventory could not be asked: away'],
  ] as const)('fails after %j', async (answer, kind, message) => {
    const { outcome } = await ask(answer);
    expect(outcome).toEqual(new OrchestratorError(kind, message, { query: QUERY }));
  });
});
