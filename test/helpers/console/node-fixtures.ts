import type { ApiSchema } from '../../../shared/api/described-answers.ts';
import type { FakeRoutes } from './fake-console.ts';
import { ago, DAY, HOUR, MINUTE, ok, SCRIPT } from './overview-fixtures.ts';

const STATES = [
  'current',
  'current',
  'current',
  'current',
  'stale',
  'current',
  'failing',
  'volatile',
  'silent',
] as const;
const ROLES = ['web', 'db', 'cache', 'mail', 'build'] as const;
const FAILURE =
  "Evaluation Error: Error while evaluating a Resource Statement, Class[Apache]: parameter 'port' expects an Integer value, got String (file: /etc/puppetlabs/code/environments/production/manifests/site.pp, line: 14, column: 3)";

const FAILED = {
  compile: "Class[Apache]: parameter 'port' expects an Integer value, got String (file: manifests/site.pp, line: 14)",
  run: '2 resources failed: File[/srv/app/config.yaml], Service[app]',
};
const causeOf = (index: number) => (index % 2 === 0 ? 'compile' : 'run');

const NODES = Array.from({ length: 137 }, (_, index) => {
  const state = STATES[index % STATES.length] ?? 'current';
  const number = String(Math.floor(index / ROLES.length) + 1).padStart(2, '0');
  return {
    certname: `${ROLES[index % ROLES.length]}${number}.example.com`,
    environment: index % 7 === 3 ? 'staging' : 'production',
    state,
    lastSeen: ago(state === 'silent' ? 9 * DAY : index * 13_000),
    compiledAt: ago(index * 11 * MINUTE),
    cause: index === 0 ? 'compile' : state === 'failing' ? causeOf(index) : null,
    failure: index === 0 ? SCRIPT : state === 'failing' ? FAILED[causeOf(index)] : null,
    reportStatus: index === 4 ? null : (['unchanged', 'changed', 'unchanged', 'failed'][index % 4] ?? null),
    reportAt: ago(index * 13_000 + 9_000),
  };
});

const HASH = '3f7a9c2e5b8d1a4f6c0e9b7d5a3f1c8e6b4d2a0f9e7c5b3d1a8f6e4c2b0d9f7a';
const UUID = '0f5f6c1e-8c75-4b0f-9a3d-5f1f0a5b7c11';

const NODE = {
  certname: 'web01.example.com',
  environment: 'production',
  state: 'current',
  reportStatus: 'changed',
  wanted: 14,
  started: 14,
  built: 14,
  revision: HASH,
  reasons: ['first catalog', 'deploy of production', 'Hiera key ntp::servers in data/os/Debian.yaml'],
  wantedAt: ago(25 * MINUTE),
  asked: { generation: 14, at: ago(25 * MINUTE), waiting: false },
  classification: null,
  grouping: null,
  external: null,
  catalog: { hash: HASH, codeId: HASH, compiledAt: ago(24 * MINUTE), durationMs: 412.5, exported: HASH },
  failure: null,
  inputs: { volatile: [] },
  facts: { digest: HASH, at: ago(4 * MINUTE) },
  checkedFacts: HASH,
  lastSeen: ago(4 * MINUTE),
  ringPosition: ago(5 * HOUR),
  compiles: 14,
  verifications: 61,
};

/** What the compile saw of some inputs. */
const VALUES: Readonly<Record<string, string>> = {
  'os.family': '"Debian"',
  'networking.ip': '"10.20.0.14"',
  timezone: JSON.stringify(SCRIPT),
  'ntp::servers': '["ntp1.example.com","ntp2.example.com"]',
};

/** Facts of another node. */
const OTHER_FACTS = {
  at: ago(HOUR),
  facts: { kernel: 'Linux', puppetversion: '8.9.0', os: { name: 'Ubuntu' }, note: SCRIPT },
  trusted: {},
};

/** What precedes the names of inputs that are files, or in files. */
const PLACES: Readonly<Record<string, string>> = {
  file: 'environments/production/',
  listing: 'environments/production/',
  data: 'environments/production/data/common.yaml ',
};

const input = (kind: string, name: string, why: string, text: string | null, ...readers: readonly string[]) => ({
  kind,
  name: `${PLACES[kind] ?? ''}${name}`,
  why,
  ...(VALUES[name] === undefined ? {} : { value: VALUES[name] }),
  readers: readers.map((reader, index) => {
    const [file = '', line] = reader.split(':');
    const whole = `environments/production/${file}`;
    return {
      file: whole,
      line: line === undefined ? null : Number(line),
      text,
      isFirst: index === 0 && readers.length > 1,
    };
  }),
});

const INPUTS = {
  compiledAt: ago(24 * MINUTE),
  codeId: HASH,
  omitted: 0,
  inputs: [
    input(
      'fact',
      'os.family',
      'selects the file of the data layer "os"',
      '- { name: os, path: "os/%{facts.os.family}.yaml" }',
      'hiera.yaml:9',
      'hiera.yaml:12',
    ),
    input(
      'fact',
      'networking.ip',
      'interpolated into the content of File[/etc/motd]',
      'Address: <%= $facts["networking"]["ip"] %>',
      'modules/motd/templates/motd.epp:3:epp',
    ),
    input('fact', 'timezone', `compared in an if ${SCRIPT}`, SCRIPT, 'modules/profile/manifests/base.pp:22'),
    input('trusted', 'extensions.pp_role', 'names the class to include', 'web', 'manifests/site.pp:7'),
    input('classification', 'node groups', 'adds the class apache', null),
    input(
      'data',
      'ntp::servers',
      'value of the parameter servers of Class[Ntp]',
      null,
      'data/os/Debian.yaml:4:ntp..servers',
      'data/common.yaml:2:ntp..servers',
    ),
    input(
      'data',
      'apache::keepalive',
      'value of the parameter keepalive of Class[Apache]',
      null,
      'data/role/web.yaml:6',
    ),
    input(
      'file',
      'modules/apache/templates/vhost.conf.epp',
      'rendered for File[/etc/apache2/sites-enabled/25-shop.conf]',
      null,
      'modules/apache/manifests/vhost.pp:88:epp',
    ),
    input(
      'file',
      'modules/apache/manifests/vhost.pp',
      'defines Apache::Vhost',
      null,
      'modules/profile/manifests/web.pp:12',
    ),
    input(
      'file',
      'data/nodes/web01.example.com.yaml',
      'looked for and not there; it would come first',
      null,
      'hiera.yaml:5',
    ),
    input(
      'listing',
      'modules/profile/files/certificates',
      'searched by a recursive File',
      null,
      'modules/profile/manifests/web.pp:31',
    ),
    input(
      'collector',
      'Sshkey <<| |>>',
      'collects exported resources of 41 nodes',
      null,
      'modules/profile/manifests/ssh.pp:9',
    ),
    input(
      'query',
      'nodes[certname] { facts.role = "db" }',
      'its rows are the list of backends',
      null,
      'modules/profile/manifests/web.pp:40:puppetdb_query',
    ),
  ],
};

const resource = (type: string, title: string, line: number, parameters: Readonly<Record<string, unknown>> = {}) => ({
  type,
  title,
  line,
  file: '/etc/puppetlabs/code/environments/production/modules/ntp/manifests/init.pp',
  exported: false,
  tags: [type.toLowerCase(), 'class', 'ntp'],
  parameters,
});

const RESOURCES = [
  resource('Stage', 'main', 1),
  resource('Class', 'Settings', 1),
  resource('Class', 'Main', 1),
  resource('Class', 'Ntp', 3, { servers: ['0.pool.ntp.org', '1.pool.ntp.org'] }),
  resource('Package', 'ntp', 12, { ensure: 'installed' }),
  resource('File', '/etc/ntp.conf', 17, {
    ensure: 'file',
    content: 'server 0.pool.ntp.org\nserver 1.pool.ntp.org\ndriftfile /var/lib/ntp/drift\n',
    require: 'Package[ntp]',
    notify: ['Service[ntp]'],
  }),
  resource('Service', 'ntp', 27, { ensure: 'running', enable: true, subscribe: 'Package[ntp]' }),
  resource('Notify', SCRIPT, 31, { message: SCRIPT }),
  ...Array.from({ length: 30 }, (_, index) => resource('File', `/srv/shop/part${index}`, 40 + index, { mode: '0644' })),
];
const CATALOG = {
  name: 'web01.example.com',
  version: 1_763_000_000,
  environment: 'production',
  resources: RESOURCES,
  edges: [
    { source: 'Stage[main]', target: 'Class[Settings]' },
    { source: 'Stage[main]', target: 'Class[Main]' },
    { source: 'Class[Main]', target: 'Class[Ntp]' },
    ...RESOURCES.slice(4).map(({ type, title }) => ({ source: 'Class[Ntp]', target: `${type}[${title}]` })),
  ],
};
const PREVIOUS = {
  ...CATALOG,
  resources: RESOURCES.filter(({ title }) => title !== '/srv/shop/part7').map((one) =>
    one.title === '/etc/ntp.conf'
      ? { ...one, parameters: { ...one.parameters, content: 'server 0.debian.pool.ntp.org\n', mode: '0600' } }
      : one,
  ),
};

const COMPARISON = {
  certname: 'web01.example.com',
  environment: 'production',
  at: ago(24 * MINUTE),
  outcome: 'different',
  changes: [
    { kind: 'changed', resource: 'File[/etc/ntp.conf]', parameter: 'mode', from: '0644', to: '0600' },
    { kind: 'added', resource: `Notify[${SCRIPT}]` },
    { kind: 'removed', resource: 'Package[ntp] -> Service[ntp]' },
  ],
  omitted: 12,
};

const FACTS = {
  at: ago(4 * MINUTE),
  facts: {
    os: { family: 'Debian', name: 'Debian', release: { full: '12.4', major: '12', minor: '4' } },
    networking: { ip: '10.20.1.14', fqdn: 'web01.example.com', interfaces: { eth0: { mtu: 1500, ip: '10.20.1.14' } } },
    processors: { count: 8, models: ['AMD EPYC 9354', 'AMD EPYC 9354'], isa: 'x86_64' },
    memory: { system: { total: '31.26 GiB', available_bytes: 21_474_836_480 } },
    is_virtual: true,
    virtual: 'kvm',
    timezone: SCRIPT,
    [SCRIPT]: 'a name that is a script',
    uptime: '41 days',
    kernel: 'Linux',
    puppetversion: '8.10.0',
  },
  trusted: {
    authenticated: 'remote',
    certname: 'web01.example.com',
    domain: 'example.com',
    extensions: { pp_role: 'web', pp_environment: 'production' },
    hostname: 'web01',
  },
};

const HISTORY: ApiSchema<'NodeHistory'> = {
  compiles: [
    {
      outcome: 'failed',
      at: ago(2 * MINUTE),
      codeId: HASH,
      hash: null,
      durationMs: null,
      message: `${FAILURE} ${SCRIPT}`,
      reasons: [],
    },
    {
      outcome: 'compiled',
      at: ago(24 * MINUTE),
      codeId: HASH,
      hash: HASH,
      durationMs: 412.5,
      message: null,
      reasons: ['Hiera key ntp::servers in data/os/Debian.yaml', SCRIPT],
    },
    {
      outcome: 'compiled',
      at: ago(26 * HOUR),
      codeId: HASH,
      hash: HASH.replace('3', '4'),
      durationMs: null,
      message: null,
      reasons: ['collected exports changed', `export Host[${SCRIPT}] of db01.example.com changed`],
    },
  ],
  reasons: ['first catalog', `fact ${SCRIPT}`, 'Hiera key ntp::servers in data/os/Debian.yaml'],
  compileCount: 14,
  verificationCount: 61,
};

const REPORTS = NODES.slice(0, 15).map(({ certname, environment, reportAt }, index) => ({
  certname,
  receivedAt: reportAt,
  status: ['unchanged', 'changed', 'failed'][index % 3],
  environment,
  time: new Date(reportAt - 9_000).toISOString(),
  puppetVersion: index % 9 === 0 ? '7.34.0' : '8.10.0',
  transactionUuid: `${UUID.slice(0, -2)}${String(index).padStart(2, '0')}`,
  noop: index % 11 === 5,
  durationMs: 4_000 + index * 700,
  blob: index % 3 === 0 ? null : `reports/${index}`,
}));

const REPORT = {
  host: 'web01.example.com',
  time: new Date(ago(4 * MINUTE)).toISOString(),
  status: 'failed',
  noop: false,
  environment: 'production',
  configuration_version: '3f7a9c2e5b8d',
  code_id: HASH,
  catalog_uuid: '3f7a9c2e-5b8d-8a4f-ac0e-9b7d5a3f1c8e',
  puppet_version: '8.10.0',
  logs: [
    {
      level: 'info',
      message: "Applying configuration version '3f7a9c2e5b8d'",
      source: 'Puppet',
      time: '2026-11-23T08:00:01Z',
    },
    {
      level: 'notice',
      message: SCRIPT,
      source: '/Stage[main]/Main/Notify[hello]/message',
      time: '2026-11-23T08:00:02Z',
    },
    {
      level: 'notice',
      message: "content changed '{sha256}9f86d08' to '{sha256}60303ae'",
      source: '/Stage[main]/Ntp/File[/etc/ntp.conf]/content',
      time: '2026-11-23T08:00:02Z',
      file: '/etc/puppetlabs/code/environments/production/modules/ntp/manifests/init.pp',
      line: 17,
    },
    {
      level: 'warning',
      message: 'Skipping because of failed dependencies',
      source: '/Stage[main]/Ntp/Exec[reload]',
      time: '2026-11-23T08:00:03Z',
    },
    {
      level: 'err',
      message: "Could not find command '/usr/sbin/ntpd'",
      source: '/Stage[main]/Ntp/Service[ntp]/ensure',
      time: '2026-11-23T08:00:03Z',
    },
  ],
  metrics: {
    resources: {
      values: [
        ['total', 'Total', 212],
        ['changed', 'Changed', 1],
        ['failed', 'Failed', 1],
        ['skipped', 'Skipped', 1],
      ],
    },
    time: {
      values: [
        ['file', 'File', 0.412],
        ['package', 'Package', 1.93],
        ['service', 'Service', 3.2],
        ['config_retrieval', 'Config retrieval', 0.31],
        ['total', 'Total', 6.1],
      ],
    },
  },
  resource_statuses: {
    'File[/etc/ntp.conf]': {
      resource_type: 'File',
      title: '/etc/ntp.conf',
      file: '/etc/puppetlabs/code/environments/production/modules/ntp/manifests/init.pp',
      line: 17,
      changed: true,
      events: [
        {
          property: 'content',
          previous_value: '{sha256}9f86d08',
          desired_value: '{sha256}60303ae',
          message: 'content changed',
          status: 'success',
        },
      ],
    },
    'Service[ntp]': {
      resource_type: 'Service',
      title: 'ntp',
      file: null,
      line: null,
      failed: true,
      events: [
        {
          property: 'ensure',
          previous_value: 'stopped',
          desired_value: 'running',
          message: `change from stopped to running failed: ${SCRIPT}`,
          status: 'failure',
        },
      ],
    },
  },
};

/** Nodes, one of them with all its parts, and reports. */
export const NODE_ROUTES: FakeRoutes = {
  'GET /understudy/v1/nodes': ({ query }) => {
    const [state, search] = [query.get('state'), query.get('search') ?? ''];
    const found = NODES.filter((node) => (state === null || node.state === state) && node.certname.includes(search));
    const start = Number(query.get('cursor') ?? 0);
    // Fewer than are asked for, so that pictures are small.
    const limit = Math.min(15, Number(query.get('limit') ?? 50));
    const next = start + limit < found.length ? String(start + limit) : null;
    return {
      body: { at: ago(0), isComplete: true, nodes: found.slice(start, start + limit), next, total: found.length },
    };
  },
  'GET /understudy/v1/nodes/*': (_, certname) => {
    const { state, reportStatus } = NODES.find((node) => node.certname === certname) ?? NODE;
    return { body: { ...NODE, certname, state, reportStatus } };
  },
  'GET /understudy/v1/nodes/*/inputs': ok(INPUTS),
  'GET /understudy/v1/nodes/*/facts': (_, certname) => ({
    body: certname === 'web02.example.com' ? OTHER_FACTS : FACTS,
  }),
  'GET /understudy/v1/nodes/*/catalog': ok(CATALOG),
  'GET /understudy/v1/nodes/*/catalog/previous': ok(PREVIOUS),
  'GET /understudy/v1/nodes/*/comparison': ok(COMPARISON),
  'GET /understudy/v1/nodes/*/history': ok(HISTORY),
  'GET /pdb/query/v4': ({ query }) => ({
    headers: { 'X-Records': '137' },
    body: NODES.slice(Number(query.get('offset')), Number(query.get('offset')) + 9).map(
      ({ certname, environment }) => ({
        certname,
        catalog_environment: environment,
        facts: { os: { family: 'Debian' }, note: SCRIPT },
      }),
    ),
  }),
  'GET /understudy/v1/reports': ({ query }) => {
    const [status, certname] = [query.get('status'), query.get('certname')];
    return {
      body: REPORTS.filter(
        (one) => (status ?? one.status) === one.status && (certname ?? one.certname) === one.certname,
      ),
    };
  },
  'GET /understudy/v1/reports/search': ok({ since: ago(7 * DAY), reports: REPORTS.slice(0, 4), hasMore: true }),
  'GET /understudy/v1/reports/*/*': ok(REPORT),
};
