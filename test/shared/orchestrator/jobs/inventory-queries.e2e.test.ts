import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QueryAnswers } from '../../../../shared/inventory/answers/query-answers.ts';
import { AnsweredQueries, InventoryQueries } from '../../../../shared/orchestrator/jobs/inventory-queries.ts';
import { OrchestratorError } from '../../../../shared/orchestrator/jobs/orchestrator-error.ts';
import { type InventoryWorld, openInventoryWorld } from '../../../helpers/inventory-world.ts';
import { OrchestratorApi } from '../../../helpers/orchestrator-api.ts';

const [A, B, GONE] = ['a.example.com', 'b.example.com', 'gone.example.com'] as const;
let world: InventoryWorld;
let queries: InventoryQueries;
let answered: AnsweredQueries;

const failToPass = () => Promise.reject(new Error('nobody asks for rows'));
const factsOf = (certname: string, values: object) => ({
  certname,
  environment: 'production',
  values,
  producer_timestamp: '2026-11-05T00:00:00.000Z',
  producer: 'server.example.com',
});

beforeAll(async () => {
  world = await openInventoryWorld();
  queries = new InventoryQueries(world.services.reader);
  answered = new AnsweredQueries(Object.assign(new QueryAnswers(world.database), { pass: failToPass }));
  await world.apply('replace facts', 5, factsOf(A, { os: { family: 'Debian' } }));
  await world.apply('replace facts', 5, factsOf(B, { os: { family: 'RedHat' } }));
  await world.apply('replace facts', 5, factsOf(GONE, { os: { family: 'RedHat' } }));
  await world.apply('deactivate node', 3, { certname: GONE, producer_timestamp: '2026-11-06T00:00:00.000Z' });
});

afterAll(() => world.remove());

describe('a query for targets', () => {
  it.each([
    ["inventory[certname] { facts.os.family = 'Debian' }", [A]],
    ['nodes[certname] { certname ~ "example" order by certname }', [A, B]],
    ['nodes { certname = "none" }', []],
    [['from', 'inventory', ['extract', ['certname'], ['=', 'facts.os.family', 'RedHat']]], [B]],
    [['=', 'certname', A], [A]],
    [['=', 'certname', GONE], []],
    [`nodes { certname = '${GONE}' and node_state = 'inactive' }`, [GONE]],
  ])('%j gives %j', async (query, names) => {
    expect(await queries.find(query)).toEqual(names);
    expect(await answered.find(query)).toEqual(names);
  });

  it.each([
    ['nodes[catalog_environment] { }', 'A query for targets must give certnames'],
    ['facts[count()] { }', 'A query for targets must give certnames'],
    [['from', 'nothing'], "Invalid entity 'nothing' in query"],
  ])('%j is refused', async (query, message) => {
    const refused = queries.find(query).catch((error: unknown) => error);
    expect(await refused).toEqual(new OrchestratorError('query-error', message, { query }));
    const alsoRefused = answered.find(query).catch((error: unknown) => error);
    expect(await alsoRefused).toEqual(new OrchestratorError('query-error', message, { query }));
  });

  it('is refused where it cannot be read', async () => {
    await expect(queries.find('nodes {')).rejects.toThrow(/^PQL parse error at line 1/);
  });

  it('says that the inventory cannot be asked', async () => {
    const away = new InventoryQueries({ readAll: () => Promise.reject(new Error('the database is away')) });
    const error = {
      kind: 'puppetlabs.orchestrator/puppetdb-error',
      message: 'The inventory could not be asked: the database is away',
    };
    await expect(away.find('nodes {}')).rejects.toMatchObject(error);
    const alsoAway = new AnsweredQueries({
      ask: () => Promise.reject(new Error('the database is away')),
      pass: failToPass,
    });
    await expect(alsoAway.find('nodes {}')).rejects.toMatchObject(error);
  });

  it('finds the nodes of a job', async () => {
    const api = new OrchestratorApi({ queries });
    api.world.network.addAgents([A, B]);
    await api.deploy('production', { 'environments/production/manifests/site.pp': '' });
    const scope = { query: "inventory[certname] { facts.os.family = 'Debian' }" };
    const body = { task: 'bolt_shim::command', params: { command: 'id' }, scope };
    expect((await api.post('/command/task', body, 'viewer')).body.kind).toBe('puppetlabs.rbac/permission-denied');
    expect((await api.post('/command/task', body)).status).toBe(202);
    expect((await api.get('/jobs/1/nodes')).body.items.map(({ name }: { name: string }) => name)).toEqual([A]);
    const none = await api.post('/command/task', { ...body, scope: { query: 'nodes { certname = "x" }' } });
    expect(none.body.kind).toBe('puppetlabs.orchestrator/empty-target');
    expect(api.errors).toEqual([]);
    api.close();
  });
});
