import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  DatabaseError,
  DatabaseUnavailable,
  type InventoryDatabase,
} from '../../../../../shared/inventory/database/inventory-database.ts';
import { InventoryReader } from '../../../../../shared/inventory/query/inventory-reader.ts';
import { type InventoryWorld, openInventoryWorld, type TestAnswer } from '../../../../helpers/inventory-world.ts';
import { fillInventory } from './inventory-data.ts';

let world: InventoryWorld;
beforeAll(async () => {
  world = await openInventoryWorld();
  await fillInventory(world);
});
afterAll(() => world.remove());

const ROOT = '/pdb/query/v4';
const LIMITS = { timeMs: 1000, rows: 1000, megabytes: 64 };

function ask(path: string, parameters: Readonly<Record<string, string>> = {}): Promise<TestAnswer> {
  return world.send({ path: `${ROOT}${path}`, parameters });
}

/** The rows of an answer in an order of their own; the text of an error. */
async function rowsOf(answer: Promise<TestAnswer>): Promise<unknown> {
  const { status, text } = await answer;
  if (status !== 200) return `${status} ${text}`;
  const parsed: unknown = JSON.parse(text);
  if (!Array.isArray(parsed)) return parsed;
  return parsed.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}

const nodes = (...names: readonly string[]) => names.map((certname) => ({ certname }));

describe('PQL', () => {
  it.each<[string, unknown]>([
    ['nodes[certname] { }', nodes('alpha.test', 'beta.test')],
    ['nodes[certname] { node_state = "any" }', nodes('alpha.test', 'beta.test', 'gone.test')],
    ['nodes[certname] { node_state = "inactive" }', nodes('gone.test')],
    ['nodes[certname] { certname ~ "^a" or certname = "beta.test" }', nodes('alpha.test', 'beta.test')],
    ['nodes[certname] { !(certname ~ "a$") limit 1 offset 5 }', []],
    ['nodes[count()] { }', [{ count: 2 }]],
    [
      'nodes[certname, latest_report_status] { latest_report_status is not null }',
      [{ certname: 'alpha.test', latest_report_status: 'changed' }],
    ],
    ['nodes[certname] { report_timestamp > "2026-11-03" }', nodes('alpha.test')],
    ['nodes[certname] { facts { name = "size" and value = 4 } }', nodes('alpha.test')],
    ['nodes[certname] { facts { name = "size" and value = "4" } }', nodes('beta.test')],
    ['nodes[certname] { resources { type = "File" and parameters.mode = "0644" } }', nodes('alpha.test')],
    [
      'nodes[certname] { ["certname"] in facts[certname] { name = "flag" } }',
      '400 PQL parse error at line 1, column 20:\n\nnodes[certname] { ["certname"] in facts[certname] { name = "flag" } }\n                   ^\n\nExpected one of:\n\n#"\\s+"\n#"[a-zA-Z0-9_]+\\??"\nfacts\ntrusted\nparameters\ncount\navg\nsum\nmin\nmax\nto_string\n',
    ],
    ['nodes[certname] { [certname] in facts[certname] { name = "flag" } }', nodes('beta.test')],
    ['nodes[certname] { certname in ["beta.test", "x"] }', nodes('beta.test')],
    [
      'facts[certname, value] { name = "size" }',
      [
        { certname: 'alpha.test', value: 4 },
        { certname: 'beta.test', value: '4' },
      ],
    ],
    ['facts[certname] { name = "size" and value >= 4 }', nodes('alpha.test')],
    ['facts[certname] { value ~ "^4$" }', nodes('alpha.test', 'beta.test')],
    ['facts[certname] { value = 9007199254740992 }', []],
    ['facts[certname] { value = 9007199254740993 }', nodes('beta.test')],
    ['facts[certname] { value = 1 }', nodes('beta.test')],
    ['facts[certname] { value is null }', nodes('alpha.test')],
    ['facts[max(value)] { name = "size" }', [{ max: 4 }]],
    ['inventory[certname] { facts.os.family = "Debian" }', nodes('alpha.test')],
    ['inventory[certname] { facts.list = ["blue"] }', nodes('alpha.test')],
    ['inventory[certname] { facts.list[1] = "blue" }', nodes('alpha.test')],
    ['inventory[certname] { facts.disks.match("sd.").size > 15 }', nodes('alpha.test')],
    [
      'inventory[certname] { facts.disks.match("hd.").size > 15 }',
      "400 No implementation of method: :-plan->sql of protocol: #'puppetlabs.puppetdb.query-eng.engine/SQLGen found for class: nil",
    ],
    ['inventory[certname] { trusted.extensions.pp_role = "web" }', nodes('alpha.test')],
    [
      'inventory[facts.os.family, count()] { group by facts.os.family }',
      [
        { 'facts.os.family': 'Debian', count: 1 },
        { 'facts.os.family': 'RedHat', count: 1 },
      ],
    ],
    ['inventory[certname, facts.size] { facts.size > 3 }', [{ certname: 'alpha.test', 'facts.size': 4 }]],
    [
      'fact_contents[certname, path, value] { path ~> ["disks", ".*", "size"] and value = 20 }',
      [{ certname: 'alpha.test', path: ['disks', 'sdb', 'size'], value: 20 }],
    ],
    ['fact_contents[path, value] { path = ["list", 1] }', [{ path: ['list', 1], value: 'blue' }]],
    ['fact_contents[path, value] { path = ["list", "1"] }', []],
    [
      'fact_paths { name = "list" }',
      [
        { name: 'list', path: ['list', 0], type: 'string' },
        { name: 'list', path: ['list', 1], type: 'string' },
      ],
    ],
    [
      'fact_paths[type] { name = "ratio" or name = "big" or name = "nothing" }',
      [{ type: 'float' }, { type: 'integer' }, { type: 'null' }],
    ],
    ['resources[title] { tags = "conf" }', [{ title: '/etc/x' }]],
    ['resources[title] { parameters.opts = ["x"] }', []],
    ['resources[title] { parameters.owners = "web" }', []],
    ['resources[title] { parameters.owners = ["web"] }', [{ title: '/etc/x' }]],
    [
      'resources[type, count()] { group by type }',
      [
        { type: 'Class', count: 1 },
        { type: 'File', count: 1 },
        { type: 'Host', count: 1 },
      ],
    ],
    [
      'edges { }',
      [
        {
          certname: 'alpha.test',
          relationship: 'contains',
          source_title: 'Web',
          source_type: 'Class',
          target_title: '/etc/x',
          target_type: 'File',
        },
      ],
    ],
    [
      'reports[certname, status] { }',
      [
        { certname: 'alpha.test', status: 'changed' },
        { certname: 'alpha.test', status: 'failed' },
      ],
    ],
    ['reports[certname] { type = "plan" }', nodes('alpha.test')],
    ['reports[status] { latest_report? = true }', [{ status: 'changed' }]],
    [
      'reports[to_string(end_time, "HH24"), count()] { group by to_string(end_time, "HH24") }',
      [
        { to_string: '07', count: 1 },
        { to_string: '08', count: 1 },
      ],
    ],
    ['reports[end_time] { status = "failed" }', [{ end_time: '2026-11-03T07:01:00.500Z' }]],
    [
      'events[resource_title, status, property, new_value] { }',
      [
        { resource_title: '/etc/x', status: 'success', property: 'mode', new_value: '0644' },
        { resource_title: 'web', status: 'skipped', property: null, new_value: null },
      ],
    ],
    [
      'events[resource_title] { reports { status = "changed" } and containing_class = "Web" }',
      [{ resource_title: '/etc/x' }, { resource_title: 'web' }],
    ],
    ['package_inventory[certname] { package_name = "bash" }', nodes('alpha.test')],
    ['packages { version = "8.0" }', [{ package_name: 'curl', provider: 'apt', version: '8.0' }]],
    ['environments { }', [{ name: 'production' }, { name: 'testing' }]],
    ['factsets[certname, hash] { certname = "none" }', []],
    ['catalogs[certname, code_id] { resources { type = "Host" } }', '[{}]'],
    ['nodes[nosuch] { }', /^400 Can't extract unknown 'nodes' field 'nosuch'. Acceptable fields are 'certname', /],
    [
      'packages { nosuch = 1 }',
      "400 'nosuch' is not a queryable object for packages. Known queryable objects are 'package_name', 'provider', and 'version'",
    ],
    ['nodes { packages { version = "1" } }', "400 No implicit relationship for entity 'packages'"],
    ['nodes { certname > 1 }', '400 Query operators >,>=,<,<= are not allowed on field certname'],
    ['facts { name ~ "(" }', '400 ERROR: invalid regular expression: parentheses () not balanced'],
    ['nodes { facts_timestamp > "soon" }', "400 'soon' is not a valid timestamp value"],
    ['nodes { limit 1 limit 2 }', "400 Multiple 'limit' clauses are not permitted"],
    ['resources[line] { line = "3" }', '400 Argument "3" is incompatible with numeric field "line".'],
    ['nodes { certname = 1 }', /^500 ERROR: operator does not exist: text = bigint/],
  ])('answers %s', async (query, expected) => {
    const rows = await rowsOf(ask('', { query }));
    if (expected instanceof RegExp) expect(rows).toMatch(expected);
    else if (expected !== '[{}]') expect(rows).toEqual(expected);
    else expect(rows).toEqual([{ certname: 'alpha.test', code_id: 'code-1' }]);
  });
});

describe('AST', () => {
  it.each<[string, string, unknown]>([
    ['/nodes', '["extract", "certname", ["=", ["fact", "size"], 4]]', nodes('alpha.test')],
    ['/nodes', '["extract", "certname", ["=", ["node", "active"], false]]', nodes('gone.test')],
    [
      '/nodes',
      '["extract", ["certname", "certname"], ["=", "certname", "beta.test"]]',
      [{ certname: 'beta.test', certname_2: 'beta.test' }],
    ],
    [
      '/nodes',
      '["extract", "certname", ["in", "certname", ["extract", "certname", ["select_resources", ["=", "title", "Web"]]]]]',
      nodes('alpha.test'),
    ],
    [
      '/nodes',
      '["extract", "certname", ["in", "certname", ["from", "reports", ["extract", "certname", ["=", "status", "failed"]]]]]',
      nodes('alpha.test'),
    ],
    [
      '/nodes',
      '["extract", "certname", ["in", "certname", ["extract", ["certname", "name"], ["select_facts", ["=", "name", "flag"]]]]]',
      nodes('beta.test'),
    ],
    [
      '/nodes',
      '["extract", "certname", ["in", ["certname", "facts_environment"], ["extract", "certname", ["select_facts"]]]]',
      '500 ERROR: subquery has too few columns',
    ],
    ['/nodes', '["extract", "certname", ["~", "certname", null]]', []],
    ['/nodes', '["extract", [["function", "count", "nope"]]]', [{ count: 0 }]],
    ['/nodes', '["=", ["fact", "size"], null]', "400 Operator '=' not allowed on value 'null'"],
    ['/nodes', '["in", ["fact", "size"], ["array", [1, "a"]]]', '400 All values in array must be the same type.'],
    [
      '/nodes',
      '["=", ["fact", "size"], ["a", {"b": [1, null]}]]',
      `400 Operator '=' not allowed on value '["a" {:b [1 nil]}]'`,
    ],
    ['/nodes', '["=", ["fact", "size"], {"a": 1, "b": "x"}]', `400 Operator '=' not allowed on value '{:a 1, :b "x"}'`],
    ['/nodes', '["in", ["fact", "size"], ["array", 1]]', '400 Operator array requires a vector argument'],
    ['/inventory', '["extract", "certname", ["not", [">", "facts.nowhere", 5]]]', []],
    ['/inventory', '["extract", "certname", ["null?", "facts.list[7]", false]]', nodes('alpha.test')],
    ['/resources', '["extract", "title", ["=", ["parameter", "opts"], {"a": [1, 2]}]]', [{ title: '/etc/x' }]],
    ['/resources', '["extract", "title", ["=", "tag", "CONF"]]', [{ title: '/etc/x' }]],
    ['/resources', '["extract", "title", ["=", "exported", true]]', [{ title: 'alpha' }]],
    [
      '/catalogs',
      '["extract", ["version", "producer_timestamp"]]',
      [{ version: '7', producer_timestamp: '2026-11-01T11:00:00.000Z' }],
    ],
    [
      '/catalog-inputs',
      '["extract", ["inputs"]]',
      [
        {
          inputs: [
            ['hiera', 'web::name'],
            ['hiera', 'web::port'],
          ],
        },
      ],
    ],
    [
      '/nodes',
      '["frob", "certname", 1]',
      "400 No implementation of method: :-plan->sql of protocol: #'puppetlabs.puppetdb.query-eng.engine/SQLGen found for class: nil",
    ],
    ['/nodes', '["=", "certname"]', '400 = requires exactly two arguments'],
    ['/nodes', '["and"]', "400 'and' takes at least one argument, but none were supplied"],
    ['/nodes', '["not"]', "400 'not' takes exactly one argument, but 0 were supplied"],
    ['/nodes', '[]', '400 [] is not well-formed: queries must contain at least one operator'],
    [
      '/nodes',
      '["extract", "certname", ["select-facts", []]]',
      '400 ["select-facts" []] is not a valid expression for "extract"',
    ],
    [
      '/environments',
      '["extract", "name", ["select-facts", []]]',
      '400 Unsupported subquery `select-facts` - did you mean `select_facts`?',
    ],
    ['/nodes', 'nonsense', /^400 Json parse error at line 1, column 9:/],
  ])('answers %s with %s', async (path, query, expected) => {
    const rows = await rowsOf(ask(path, { query }));
    if (expected instanceof RegExp) expect(rows).toMatch(expected);
    else expect(rows).toEqual(expected);
  });
});

describe('paths', () => {
  it.each<[string, unknown]>([
    ['/nodes/alpha.test/facts/size', [{ certname: 'alpha.test', environment: 'production', name: 'size', value: 4 }]],
    ['/facts/os/x', []],
    ['/environments/testing', { name: 'testing' }],
    [
      '/environments/testing/facts/flag',
      [{ certname: 'beta.test', environment: 'testing', name: 'flag', value: true }],
    ],
    ['/environments/nosuch/facts', '404 {"error":"No information is known about environment nosuch"}'],
    ['/nodes/nosuch', '404 {"error":"No information is known about node nosuch"}'],
    ['/catalogs/beta.test/resources', '404 {"error":"No information is known about catalog beta.test"}'],
    ['/producers/puppet.test', { name: 'puppet.test' }],
    ['/fact-names', ['big', 'disks', 'dot.ted', 'flag', 'list', 'nothing', 'os', 'ratio', 'size', 'trusted']],
    ['/package-inventory/beta.test', []],
    ['/nosuch', '302 '],
  ])('answers %s', async (path, expected) => {
    expect(await rowsOf(ask(path))).toEqual(expected);
  });

  it('answers one node with all its fields', async () => {
    expect(await rowsOf(ask('/nodes/gone.test'))).toMatchObject({
      certname: 'gone.test',
      deactivated: '2026-11-04T00:00:00.000Z',
      facts_environment: 'production',
      latest_report_status: 'unchanged',
      latest_report_corrective_change: null,
      expired: null,
    });
  });

  it('answers a catalog with its resources and edges', async () => {
    const catalog = (await rowsOf(ask('/catalogs/alpha.test'))) as Record<string, { data: unknown[]; href: string }>;
    expect(catalog.edges).toEqual({
      href: '/pdb/query/v4/catalogs/alpha.test/edges',
      data: [
        {
          relationship: 'contains',
          source_title: 'Web',
          source_type: 'Class',
          target_title: '/etc/x',
          target_type: 'File',
        },
      ],
    });
    expect(catalog.resources?.data).toHaveLength(3);
  });

  it('answers the parts of a report', async () => {
    const [report] = (await rowsOf(ask('', { query: 'reports[hash] { status = "changed" }' }))) as { hash: string }[];
    const hash = report?.hash ?? '';
    expect(await rowsOf(ask(`/reports/${hash}/metrics`))).toEqual([{ category: 'time', name: 'total', value: 1.5 }]);
    expect(await rowsOf(ask(`/reports/${hash}/logs`))).toEqual([]);
    expect(await rowsOf(ask(`/reports/${hash}/events`))).toHaveLength(2);
    expect(await rowsOf(ask(`/reports/none/logs`))).toBe('404 {"error":"No information is known about report none"}');
  });
});

describe('counts of events', () => {
  const counts = { failures: 0, successes: 1, noops: 0, skips: 0 };
  it.each<[string, Record<string, string>, unknown]>([
    [
      '/event-counts',
      { summarize_by: 'resource', counts_filter: '[">", "successes", 0]' },
      [{ ...counts, subject_type: 'resource', subject: { type: 'File', title: '/etc/x' } }],
    ],
    [
      '/event-counts',
      { summarize_by: 'certname' },
      [{ ...counts, skips: 1, subject_type: 'certname', subject: { title: 'alpha.test' } }],
    ],
    [
      '/aggregate-event-counts',
      { summarize_by: 'containing_class' },
      [{ ...counts, skips: 1, summarize_by: 'containing_class', total: 1 }],
    ],
    ['/event-counts', {}, "400 Missing required query parameter 'summarize_by'"],
    ['/event-counts', { summarize_by: 'x' }, "400 Unsupported value for 'summarize_by': 'x'"],
  ])('answers %s %j', async (path, parameters, expected) => {
    expect(await rowsOf(ask(path, parameters))).toEqual(expected);
  });

  it('takes the newest event of each resource', async () => {
    const times = { distinct_start_time: '2026-11-01', distinct_end_time: '2026-12-01' };
    const distinct = { distinct_resources: 'true', ...times };
    expect(await rowsOf(ask('/events', { ...distinct, query: '["=", "status", "success"]' }))).toMatchObject([
      { resource_title: '/etc/x', old_value: '0600', report_receive_time: '2026-11-05T00:00:00.000Z' },
    ]);
    expect(await rowsOf(ask('/events', times))).toBe(
      "400 'distinct_resources' query parameter must accompany parameters 'distinct_start_time' and 'distinct_end_time'",
    );
  });
});

describe('parameters', () => {
  it('orders, cuts and counts', async () => {
    const parameters = {
      query: '["extract", "certname"]',
      order_by: '[{"field": "certname", "order": "DESC"}]',
      limit: '1',
    };
    const { text, headers } = await ask('/nodes', { ...parameters, include_total: 'true' });
    expect(JSON.parse(text)).toEqual(nodes('beta.test'));
    expect(headers['X-Records']).toBe('2');
  });

  it.each<[Record<string, string>, string]>([
    [{ limit: '0' }, "Illegal value '0' for :limit; expected a positive non-zero integer."],
    [{ offset: 'x' }, "Illegal value 'x' for :offset; expected a non-negative integer."],
    [{ order_by: 'x' }, "Illegal value 'x' for :order_by; expected a JSON array of maps."],
    [{ order_by: '5' }, "Don't know how to create ISeq from: java.lang.Integer"],
    [{ order_by: '99999999999' }, "Don't know how to create ISeq from: java.lang.Long"],
    [{ order_by: '99999999999999999999' }, "Don't know how to create ISeq from: java.math.BigInteger"],
    [{ order_by: '1.5' }, "Don't know how to create ISeq from: java.lang.Double"],
    [{ order_by: 'true' }, "Don't know how to create ISeq from: java.lang.Boolean"],
    [{ order_by: '[null]' }, "Illegal value '[nil]' for :order_by; expected an array of maps."],
    [
      { order_by: '[{"field":"certname","order":"up"}]' },
      "Illegal value '{:field \"certname\", :order \"up\"}' in :order_by; 'order' must be either 'asc' or 'desc'",
    ],
    [{ frob: '1' }, "Unsupported query parameter 'frob'"],
  ])('refuses %j', async (parameters, message) => {
    expect(await ask('/environments', parameters)).toMatchObject({ status: 400, text: message });
  });

  it('takes the same in a body', async () => {
    const body = JSON.stringify({
      query: ['extract', 'certname', ['=', 'certname', 'beta.test']],
      include_total: true,
    });
    const headers = { 'content-type': 'application/json' };
    const answer = await world.send({ method: 'POST', path: `${ROOT}/nodes`, body, headers });
    expect(answer).toMatchObject({ status: 200, text: '[{"certname":"beta.test"}]' });
    expect(answer.headers['X-Records']).toBe('1');
  });

  it('gives the AST of a query', async () => {
    const { text } = await ask('', { query: 'nodes { certname = "x" }', ast_only: 'true' });
    expect(JSON.parse(text)).toEqual(['from', 'nodes', ['=', 'certname', 'x']]);
  });

  it.each([
    ['/nodes', '["extract", "certname"]'],
    ['', 'nodes[certname] {}'],
  ])('gives the plan of a query at "%s"', async (path, query) => {
    const rows = await rowsOf(ask(path, { query, explain: 'analyze' }));
    expect(rows).toMatchObject([{ 'query plan': [{ Plan: { 'Actual Rows': 2 } }] }]);
  });

  it('indents an answer', async () => {
    const { text } = await ask('/environments', { pretty: 'true', query: '["=", "name", "testing"]' });
    expect(text).toBe('[ {\n  "name" : "testing"\n} ]');
  });

  it('expands expirations and packages when asked', async () => {
    const expiring = await rowsOf(ask('/nodes/beta.test', { include_facts_expiration: 'true' }));
    expect(expiring).toMatchObject({ expires_facts: true, expires_facts_updated: null });
    const [factset] = (await rowsOf(ask('/factsets', { include_package_inventory: 'true' }))) as object[];
    expect(factset).toMatchObject({
      package_inventory: [
        ['bash', '5.2', 'apt'],
        ['curl', '8.0', 'apt'],
      ],
    });
  });

  it('refuses other methods, bodies and formats', async () => {
    const path = `${ROOT}/nodes`;
    expect(await world.send({ method: 'PUT', path })).toMatchObject({
      status: 400,
      text: 'PuppetDB queries must be made via GET/POST',
    });
    const plain = { method: 'POST', path, headers: { 'content-type': 'text/plain' } };
    expect(await world.send(plain)).toMatchObject({ status: 415, text: 'content type text/plain not supported' });
    expect(await world.send({ path, headers: { accept: 'text/html' } })).toMatchObject({
      status: 406,
      text: 'must accept application/json',
    });
  });
});

it('says that it has no administration API', async () => {
  const { status, text } = await world.send({ path: '/pdb/admin/v1/summary-stats' });
  expect([status, text]).toEqual([
    501,
    'This inventory has no administration API. Its status is at /status/v1/services; back it up with its database.',
  ]);
});

it('describes the server', async () => {
  expect(JSON.parse((await world.send({ path: '/pdb/meta/v1/version' })).text)).toEqual({ version: '7.12.1' });
  expect(await world.send({ path: '/' })).toMatchObject({
    status: 302,
    headers: { Location: '/pdb/dashboard/index.html' },
  });
  expect(await world.send({ path: '/pdb/dashboard/index.html' })).toMatchObject({ status: 404 });
  expect(world.faults).toEqual([]);
});

describe('the status', () => {
  const running = { service_status_version: 1, detail_level: 'info', state: 'running', active_alerts: [] };
  const puppetdb = { ...running, service_version: '7.12.1', status: { queue_depth: 0, 'write_db_up?': true } };

  it.each<[string, number, unknown]>([
    ['services', 200, { 'puppetdb-status': puppetdb, 'status-service': { ...running, status: {} } }],
    ['services/puppetdb-status', 200, { ...puppetdb, service_name: 'puppetdb-status' }],
    ['services/puppetdb-status?level=debug', 200, { ...puppetdb, detail_level: 'debug' }],
    ['services?level=loud', 400, { kind: 'data-invalid', msg: 'Invalid level: :loud' }],
    ['services/nope', 404, { kind: 'service-not-found', msg: 'No status information found for service nope' }],
  ])('of %s is %i', async (name, status, expected) => {
    const [path, level] = name.split('?level=');
    const request = { path: `/status/v1/${path}` };
    const answer = await world.send(level === undefined ? request : { ...request, parameters: { level } });
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject(expected as object);
  });

  it.each([
    ['simple', 200, 'running'],
    ['simple/puppetdb-status', 200, 'running'],
    ['simple/status-service', 200, 'running'],
    ['simple/nope', 404, 'not found: nope'],
  ])('of %s is one word for health checks', async (path, status, text) => {
    expect(await world.send({ path: `/status/v1/${path}` })).toMatchObject({ status, text });
  });

  it('tells a health check when the database is away', async () => {
    const reader = failingReader(new DatabaseUnavailable('the database ended'));
    const answer = await world.send({ path: '/status/v1/simple' }, { reader });
    expect(answer).toMatchObject({ status: 503, text: 'error' });
  });
});

/** A reader whose database answers with an error. */
function failingReader(error: Error): InventoryReader {
  const read = () => {
    throw error;
  };
  return new InventoryReader({ ...world.database, read } as unknown as InventoryDatabase, LIMITS);
}

describe('an error of the database', () => {
  it.each([
    ['58030', 'ERROR: could not read blocks 0..0 in file "base/5/16581"', true],
    ['XX001', 'ERROR: 7 invalid pages among blocks 31..46 of relation base/5/16572', true],
    ['53100', 'ERROR: could not extend file "base/5/1": No space left on device', true],
    ['42883', 'ERROR: operator does not exist: text = integer', false],
  ])('%s is reported unless the query is at fault', async (code, message, isReported) => {
    const error = new DatabaseError(message, code);
    const faults: unknown[] = [];
    const services = { reader: failingReader(error), reportFault: (fault: unknown) => faults.push(fault) };
    const answer = await world.send({ path: `${ROOT}/nodes` }, services);
    expect(answer).toMatchObject({ status: 500, text: message });
    expect(faults).toEqual(isReported ? [error] : []);
  });
});

describe('a command', () => {
  it.each([
    ['without a version', { command: 'replace_facts', certname: 'x.test' }, 'Version must be a valid integer.'],
    ['without a name', { command: 'replace_facts' }, 'Command is missing required parameters: certname.'],
  ])('%s is refused', async (_, parameters, reason) => {
    const request = { method: 'POST', headers: { 'content-type': 'application/json' }, parameters, body: '{}' };
    for (const path of ['/pdb/cmd/v1', '/pdb/cmd/v1/below']) {
      const answer = await world.send({ ...request, path });
      expect(answer.status).toBe(400);
      expect(JSON.parse(answer.text).error).toContain(reason);
    }
  });
});
