import { describe, expect, it } from 'vitest';
import { NodeSearch } from '../../../shared/http/node-search.ts';
import type { TargetQueries } from '../../../shared/orchestrator/jobs/inventory-queries.ts';
import { OrchestratorError } from '../../../shared/orchestrator/jobs/orchestrator-error.ts';
import { type ConsoleDoor, openConsoleDoor } from '../../helpers/console-door.ts';
import { ManualClock } from '../../helpers/memory-stores.ts';

function openSearch(find: (query: string) => readonly string[]) {
  const clock = new ManualClock(1000);
  const asked: string[] = [];
  const queries: TargetQueries = {
    find: async (query) => {
      asked.push(String(query));
      return find(String(query));
    },
  };
  return { clock, asked, search: new NodeSearch(queries, clock) };
}

describe('a search for nodes by a query', () => {
  it('asks once for the pages of a list, and again after ten seconds', async () => {
    const { clock, asked, search } = openSearch(() => ['a', 'b']);
    const both = await Promise.all([search.find('nodes {}'), search.find('nodes {}')]);
    expect(both).toEqual([new Set(['a', 'b']), new Set(['a', 'b'])]);
    clock.time += 9_999;
    await search.find('nodes {}');
    expect(asked).toEqual(['nodes {}']);
    clock.time += 1;
    await search.find('nodes {}');
    expect(asked).toEqual(['nodes {}', 'nodes {}']);
  });

  it('keeps a few answers, and no failure', async () => {
    const { asked, search } = openSearch((query) => {
      if (query === 'bad') throw new OrchestratorError('query-error', 'no PQL');
      return [];
    });
    await expect(search.find('bad')).rejects.toThrow('no PQL');
    await expect(search.find('bad')).rejects.toThrow('no PQL');
    for (const query of ['1', '2', '3', '4', '5', '5', '1']) await search.find(query);
    expect(asked).toEqual(['bad', 'bad', '1', '2', '3', '4', '5', '1']);
  });

  it.each([
    ['x'.repeat(8193), 400, "'query' has more than 8192 characters"],
    ['nodes {', 400, 'PQL parse error'],
    ['nodes {}', 503, 'The inventory could not be asked: away'],
  ])('refuses %.10s with %i', async (query, status, message) => {
    const { search } = openSearch((text) => {
      if (text === 'nodes {') throw new OrchestratorError('query-error', 'PQL parse error');
      throw new OrchestratorError('puppetdb-error', 'The inventory could not be asked: away');
    });
    const refusal = await search.find(query).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ message });
    expect((refusal as { response(): Response }).response().status).toBe(status);
  });
});

describe('a list of nodes by a query', () => {
  const list = async (door: ConsoleDoor, cookie: string, query: string) => {
    const answer = await door.ask(`/understudy/v1/nodes?${query}`, { cookie });
    return [answer.status, (await answer.json()) as { readonly next?: string }] as const;
  };

  it('has the nodes that the query gives, page by page', async () => {
    const { search } = openSearch((query) => (query === 'inventory { }' ? ['a1', 'a3', 'elsewhere'] : []));
    const door = await openConsoleDoor([], { search });
    const cookie = await door.logIn('root', [1]);
    for (const certname of ['a1', 'a2', 'a3']) await door.http.nodes.markSeen(certname, 'production', 1);
    await door.http.services.fleet.watch.step();
    const query = `query=${encodeURIComponent(' inventory { } ')}&limit=1`;
    const [, first] = await list(door, cookie, query);
    expect(first).toMatchObject({ total: 2, nodes: [{ certname: 'a1' }] });
    const [, second] = await list(door, cookie, `${query}&cursor=${encodeURIComponent(first.next ?? '')}`);
    expect(second).toMatchObject({ total: 2, nodes: [{ certname: 'a3' }], next: null });
  });

  it('is refused to those who may not query, and where there is no inventory', async () => {
    const door = await openConsoleDoor();
    const permissions = [{ objectType: 'console_page', action: 'view', instance: '*' }];
    const watcher = await door.access.roles.create({ displayName: 'Watchers', description: null, permissions });
    const viewer = await door.logIn('viewer', [watcher.id]);
    const lacking = { kind: 'permission-denied', msg: 'viewer does not have the permission nodes:view_data:*' };
    expect(await list(door, viewer, 'query=nodes{}')).toMatchObject([403, lacking]);
    expect(await list(door, viewer, 'query=&search=no.such.node')).toMatchObject([200, { nodes: [] }]);
    const admin = await door.logIn('root', [1]);
    const message = 'Not Found: Nodes are found by queries only with an inventory, which this server lacks';
    expect(await list(door, admin, 'query=nodes{}')).toMatchObject([404, { message }]);
  });
});
