import { beforeEach, describe, expect, it } from 'vitest';
import type { Permission } from '../../../../shared/access/accounts/access-control.ts';
import { FleetView } from '../../../../shared/fleet/overview/fleet-view.ts';
import { CodeSearch } from '../../../../shared/http/search/code-search.ts';
import { ConsoleSearch } from '../../../../shared/http/search/console-search.ts';
import type { JobQueries } from '../../../../shared/orchestrator/jobs/inventory-queries.ts';
import { deployFiles, httpServices } from '../../../helpers/http-services.ts';
import { ManualClock } from '../../../helpers/memory-stores.ts';

const FILES = {
  'environments/production/modules/web/manifests/init.pp': 'class web { }\n',
  'environments/production/modules/web/manifests/vhost.pp': 'class web::vhost { }\n',
  'environments/production/data/common.yaml': 'web::port: 80\n"web::host": a\n  nested: 1\n# web::no: 1\n',
};
const STAGING = { 'environments/staging/modules/web/manifests/extra.pp': 'class web::extra { }\n' };
const may = async () => true;

/** The number of stored jobs; their numbers have gaps. */
const JOBS = 700;

interface World {
  readonly search: ConsoleSearch;
  readonly asked: unknown[];
  readonly failures: string[];
  readonly reads: () => number;
}

async function openWorld(nodes: number, queries: Partial<JobQueries> | null = {}): Promise<World> {
  const http = await httpServices();
  await deployFiles(http, 'production', FILES);
  await deployFiles(http, 'staging', STAGING);
  const view = new FleetView();
  for (let n = 0; n < nodes; n += 1) {
    const certname = `${n % 2 === 0 ? 'web' : 'db'}${String(n).padStart(4, '0')}.example.com`;
    const rest = { wanted: 0, built: 0, lastSeen: 1, compiledAt: 1, failure: null, isVolatile: false };
    view.put({ certname, environment: 'production', ...rest });
  }
  const [asked, failures]: [unknown[], string[]] = [[], []];
  let reads = 0;
  const job = (number: number) => ({
    number,
    body: { description: `Release ${number}`, task: null, command: 'deploy' },
  });
  const numbers = Array.from({ length: JOBS }, (_, index) => 3 * (index + 1));
  const jobs = {
    get: async (_: string, number: number) => (numbers.includes(number) ? job(number) : null),
    list: async (_: string, after: number, limit: number) => {
      reads += 1;
      return numbers
        .filter((number) => number > after)
        .slice(0, limit)
        .map(job);
    },
  };
  const search = new ConsoleSearch({
    fleet: { watch: { look: () => ({ view, asOf: 1 }) } } as never,
    code: new CodeSearch(http.environments, http.services.files, http.services.classes),
    queries: queries && {
      find: async (query) => {
        asked.push(query);
        return JSON.stringify(query).includes('"Package"') ? ['a', 'b'] : [];
      },
      ask: async (query) => {
        asked.push(JSON.parse(query));
        return [{ name: 'webroot' }];
      },
      ...queries,
    },
    jobs: jobs as never,
    accounts: { list: async () => [account('webmaster', 'Wanda'), account('alice', 'The web'), account('bob', 'Bob')] },
    clock: new ManualClock(1000),
    reportFailure: (message) => failures.push(message),
  });
  return { search, asked, failures, reads: () => reads };
}

const account = (login: string, displayName: string) => ({ login, displayName, isGroup: false }) as never;

let world: World;

beforeEach(async () => {
  world = await openWorld(20);
});

async function find(text: string, limit = 5, permits: (permission: Permission) => Promise<boolean> = may) {
  const { kinds } = await world.search.find(text, limit, permits);
  return Object.fromEntries(
    kinds.map(({ kind, results, hasMore }) => [kind, [results.map(({ name }) => name), hasMore]]),
  );
}

describe('the search of the console', () => {
  it('finds each kind by a part of the name, at most so many of each', async () => {
    expect(await find('web', 2)).toEqual({
      nodes: [['web0000.example.com', 'web0002.example.com'], true],
      classes: [['web', 'web::vhost'], true],
      resources: [['Package[web]'], false],
      files: [['modules/web/manifests/init.pp', 'modules/web/manifests/vhost.pp'], true],
      keys: [['web::host', 'web::port'], false],
      facts: [['webroot'], false],
      jobs: [[], false],
      users: [['webmaster', 'alice'], false],
    });
  });

  it('finds jobs by their number or description, the newest first', async () => {
    expect((await find('release', 3)).jobs).toEqual([['2100', '2097', '2094'], true]);
    expect((await find('9', 3)).jobs?.[0]).toEqual(['9', '2097', '2094'].slice(0, 3));
    // Their number is found by doubling, and kept.
    expect(world.reads()).toBeLessThan(40);
  });

  it.each<[string, readonly unknown[]]>([
    ['File[/etc/motd]', [['File', '/etc/motd']]],
    ['/etc/motd', [['File', '/etc/motd']]],
    ['Class[web::vhost]', [['Class', 'Web::Vhost']]],
  ])('asks for the resource %s by its type and title', async (text, wanted) => {
    await find(text);
    const resources = world.asked.filter((query) => JSON.stringify(query).includes('"resources"'));
    expect(resources).toEqual(
      wanted.map((one) => {
        const [type, title] = one as readonly string[];
        const condition = ['and', ['=', 'type', type], ['=', 'title', title]];
        return ['from', 'resources', ['extract', ['certname'], condition], ['limit', 6]];
      }),
    );
  });

  it('shows no kind that the user may not see', async () => {
    const seen = await find('web', 5, async ({ objectType }) => objectType === 'orchestrator');
    expect(Object.keys(seen)).toEqual(['nodes', 'files', 'jobs', 'users']);
  });

  it('leaves out a kind that fails, and says so', async () => {
    world = await openWorld(1, {
      ask: async () => {
        throw new Error('away');
      },
    });
    const { kinds, failed } = await world.search.find('web', 5, may);
    expect([failed, kinds.length, world.failures]).toEqual([['facts'], 7, ['The facts could not be searched']]);
  });

  it('finds the rest without an inventory', async () => {
    world = await openWorld(1, null);
    const found = await find('web');
    expect([found.resources, found.facts, found.nodes]).toEqual([
      [[], false],
      [[], false],
      [['web0000.example.com'], false],
    ]);
  });

  it.each([250, 4000])('asks the inventory and the stores the same for %d nodes', async (nodes) => {
    world = await openWorld(nodes);
    await find('web');
    const limits = world.asked.map((query) => (query as readonly unknown[]).at(-1));
    expect([limits.length, new Set(limits.map((limit) => JSON.stringify(limit)))]).toEqual([
      10,
      new Set(['["limit",6]']),
    ]);
    expect(world.reads()).toBe(24);
  });
});
