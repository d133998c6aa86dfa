import { parsePql } from '../../../shared/inventory/pql/parse-pql.ts';
import { describePqlEntities } from '../../../shared/inventory/query/pql-entities.ts';
import type { FakeAnswer, FakeRequest, FakeRoute, FakeRoutes } from './fake-console.ts';
import { ago, DAY, HOUR, ok, SCRIPT } from './overview-fixtures.ts';

const SAVED = {
  own: [
    { name: 'Kernel below 6.1', query: 'inventory[certname, facts.kernelrelease] { facts.kernel = "Linux" }' },
    { name: SCRIPT, query: 'nodes { deactivated is null }' },
  ].map((one) => ({ ...one, at: ago(DAY) })),
  shared: [
    {
      ...{ name: 'Certificates of databases by their expiry', query: 'nodes[certname] { certname ~ "^db" }' },
      ...{ at: ago(HOUR), by: 'carol', mayDelete: true },
    },
  ],
  mayShare: true,
};

const READERS = {
  files: ['environments/production/data/common.yaml', `environments/production/data/${SCRIPT}.yaml`],
  nodes: Array.from({ length: 50 }, (_, index) => `web${String(index + 1).padStart(2, '0')}.example.com`),
  next: 'more',
};

const SYSTEMS = ['Debian', 'Ubuntu', 'Debian', 'RedHat', SCRIPT];

/** Rows of facts; a query that names `every` has more of them than a page shows. */
function listRows(pql: string): readonly unknown[] {
  return Array.from({ length: pql.includes('every') ? 1_001 : 140 }, (_, index) => ({
    'facts.os.name': SYSTEMS[index % SYSTEMS.length],
    certname: `web${String(index + 1).padStart(3, '0')}.example.com`,
    'facts.processors.count': 1 + (index % 8),
    environment: index % 7 === 0 ? null : 'production',
  }));
}

function answer({ query }: FakeRequest): FakeAnswer {
  const text = query.get('query') ?? '';
  if (query.get('ast_only') !== 'true') {
    return text.startsWith('["from","inventory",["extract",["facts.os.name",["function"')
      ? { body: SYSTEMS.slice(0, 4).map((name, index) => ({ 'facts.os.name': name, count: 900 - 70 * index })) }
      : { body: listRows(text) };
  }
  try {
    const tree = JSON.stringify(parsePql(text), (_, one) => (typeof one === 'bigint' ? Number(one) : one));
    return { body: JSON.parse(tree) };
  } catch (error) {
    return { status: 400, body: { error: error instanceof Error ? error.message : '' } };
  }
}

/** Queries of the inventory in the page of queries, and saved ones; `others` answers all others. */
export function queryRoutes(others: FakeRoute): FakeRoutes {
  return {
    'GET /understudy/v1/queries': ok(SAVED),
    'GET /understudy/v1/environments/*/keys/readers': ({ query }, environment = '') => ({
      body: { ...READERS, environment, key: query.get('key') },
    }),
    'GET /understudy/v1/queries/schema': ok({ entities: describePqlEntities() }),
    'PUT /understudy/v1/queries/*/*': (_, __ = '', name = '') => ({ body: { saved: name } }),
    'DELETE /understudy/v1/queries/*/*': (_, __ = '', name = '') => ({ body: { removed: name } }),
    'GET /pdb/query/v4': (request) => {
      const text = request.query.get('query') ?? '';
      if (text.includes('fact_paths') && text.includes('group_by'))
        return { body: [{ name: 'kernel' }, { name: 'kernelrelease' }] };
      if (text.includes('fact_paths')) return { body: [{ path: ['os', 'family'] }, { path: ['os', 'name'] }] };
      const isOfPage = request.query.get('ast_only') === 'true' || !request.query.has('offset');
      return isOfPage ? answer(request) : others(request);
    },
  };
}
