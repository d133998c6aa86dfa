import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addressOfPaths, readPaths } from '../../../shared/console/client/data/fact-choices.ts';
import { Refusal } from '../../../shared/http/exchange/answers.ts';
import { FactQueries } from '../../../shared/http/fact-queries.ts';
import { CodeSearch } from '../../../shared/http/search/code-search.ts';
import { ConsoleSearch } from '../../../shared/http/search/console-search.ts';
import { InventoryQueries } from '../../../shared/orchestrator/jobs/inventory-queries.ts';
import { openAccessWorld } from '../../helpers/access-world.ts';
import { httpServices } from '../../helpers/http-services.ts';
import { type InventoryWorld, openInventoryWorld } from '../../helpers/inventory-world.ts';

const QUOTED = 'say "hi" \\ there';
let world: InventoryWorld;
let queries: InventoryQueries;
let facts: FactQueries;
let asked: string[];
let now: number;

beforeAll(async () => {
  world = await openInventoryWorld();
  queries = new InventoryQueries(world.services.reader);
  for (let index = 0; index < 12; index += 1) {
    const values = {
      os: { family: index % 3 === 0 ? 'RedHat' : 'Debian', release: { major: String(10 + (index % 2)) } },
      cores: index % 4,
      virtual: index % 2 === 0,
      'odd.name': { deep: index < 2 ? QUOTED : 'plain' },
      dns: ['10.0.0.1', `10.0.0.${2 + (index % 2)}`],
      ...(index < 5 ? { rare: 1.5 } : {}),
    };
    const certname = `n${index}.example.com`;
    const rest = { environment: 'production', producer: 'p', producer_timestamp: '2026-11-05T00:00:00.000Z' };
    await world.apply('replace facts', 5, { certname, values, ...rest });
  }
}, 120_000);

beforeEach(() => {
  [asked, now] = [[], 1_000_000];
  const rows = {
    ask: (query: string) => {
      asked.push(query);
      return queries.ask(query);
    },
  };
  facts = new FactQueries(rows, { ...world.services.clock, now: () => now });
});

afterAll(() => world.remove());

describe('names and paths of facts', () => {
  it.each([
    ['', ['fact.cores', 'fact.dns', 'fact.odd.name', 'fact.os', 'fact.rare', 'fact.virtual']],
    ['o', ['fact.odd.name', 'fact.os']],
    ['os.', ['fact.os.family', 'fact.os.release.major']],
  ])('are found for the form of rules and the editor of queries: %j', async (typed, expected) => {
    const address = addressOfPaths(typed);
    const query = new URLSearchParams(address?.split('?')[1]).get('query') ?? '';
    const rows = await queries.ask(query);
    expect(readPaths(rows as Parameters<typeof readPaths>[0])).toEqual(expected);
  });

  it('are found by the search', async () => {
    const http = await httpServices();
    const { fleet, jobs, files, classes } = http.services;
    const failures: string[] = [];
    const search = new ConsoleSearch({
      ...{ fleet, jobs, queries, clock: http.clock, accounts: openAccessWorld().access.accounts },
      code: new CodeSearch(http.environments, files, classes),
      reportFailure: (message) => failures.push(message),
    });
    const { kinds, failed } = await search.find('o', 5, async ({ objectType }) => objectType === 'nodes');
    expect([...failed, ...failures]).toEqual([]);
    const found = kinds.find(({ kind }) => kind === 'facts')?.results.map(({ name }) => name);
    expect(found).toEqual(['odd.name', 'os']);
  });
});

describe('the values of a fact', () => {
  it.each([
    ['os.family', ['"Debian" 8', '"RedHat" 4']],
    ['os.release.major', ['"10" 6', '"11" 6']],
    ['cores', ['0 3', '1 3', '2 3', '3 3']],
    ['virtual', ['false 6', 'true 6']],
    ['"odd.name".deep', ['"plain" 10', `${JSON.stringify(QUOTED)} 2`]],
    ['dns', ['["10.0.0.1","10.0.0.2"] 6', '["10.0.0.1","10.0.0.3"] 6']],
    ['rare', ['1.5 5', 'null 7']],
    ['nothing', ['null 12']],
  ])('%s are counted, and a query finds the nodes of each', async (path, expected) => {
    const { values, total, others, distinct } = await facts.distribute(path);
    expect(values.map(({ value, nodes }) => `${value} ${nodes}`).sort()).toEqual(expected);
    expect({ total, others }).toEqual({ total: 12, others: 0 });
    expect(distinct).toBe(expected.filter((one) => !one.startsWith('null')).length);
    for (const { query, nodes } of values) {
      if (query !== null) expect([query, (await queries.find(query)).length]).toEqual([query, nodes]);
    }
    expect(values.some(({ query }) => query === null)).toBe(path === 'dns');
  });

  it('are shared by all who ask within a minute', async () => {
    const found = await Promise.all([facts.distribute('cores'), facts.distribute('cores')]);
    expect(found[0]).toEqual(found[1]);
    now += 59_000;
    await facts.distribute('cores');
    expect(asked).toHaveLength(1);
    now += 1_000;
    expect(await facts.distribute('cores')).toMatchObject({ at: now });
    expect(asked).toHaveLength(2);
  });

  it.each(['', '.', 'os..family', 'a"b', 'x'.repeat(501)])('of the path %j are refused', async (path) => {
    expect(await statusOf(facts.distribute(path))).toBe(400);
    expect(asked).toEqual([]);
  });
});

describe('the paths of facts', () => {
  it.each([
    ['os', ['os.family', 'os.release.major']],
    ['OS.rel', ['os.release.major']],
    ['odd', ['"odd.name".deep']],
    ['dns', ['dns']],
    ['.*', []],
    ['nothing', []],
  ])('that contain %j are listed', async (search, paths) => {
    expect(await facts.listPaths(search)).toEqual({ paths, hasMore: false });
  });
});

it('without an inventory nothing is known', async () => {
  const none = new FactQueries(null, world.services.clock);
  expect(await statusOf(none.distribute('os'))).toBe(404);
  expect(await statusOf(none.listPaths('os'))).toBe(404);
});

/** The status that a refused question is answered with. */
async function statusOf(asked: Promise<unknown>): Promise<number | null> {
  const refused: unknown = await asked.then(
    () => null,
    (error: unknown) => error,
  );
  return refused instanceof Refusal ? refused.response().status : null;
}
