import type { FakeRoutes } from './fake-console.ts';
import { ago, DAY, DEPLOYS, HOUR, MINUTE, NOW, ok, QUEUES, SCRIPT, SESSION } from './overview-fixtures.ts';

const iso = (time: number): string => new Date(time).toISOString();
const TOP = '00000000-0000-4000-8000-000000000000';
const WEB = 'fc500c43-5065-469b-91fc-37ed0e500e81';

const group = (id: string, name: string, parent: string, more: Readonly<Record<string, unknown>> = {}) => ({
  id,
  name,
  parent,
  description: '',
  environment: 'production',
  environment_trumps: false,
  rule: null,
  classes: {},
  config_data: {},
  variables: {},
  serial_number: 7,
  ...more,
});

/** The groups of the fixture; the second one is edited by tests. */
export const GROUPS = [
  group(TOP, 'All Nodes', TOP, { rule: ['~', 'name', '.*'] }),
  group(WEB, 'Web servers', TOP, {
    description: 'Everything that serves pages',
    rule: [
      'or',
      ['and', ['=', ['trusted', 'extensions', 'pp_role'], 'web'], ['not', ['=', ['fact', 'os', 'family'], 'windows']]],
      ['=', 'name', 'legacy.example.com'],
    ],
    classes: { apache: { keepalive: true } },
    variables: { tier: 'gold' },
  }),
  group('b7a0a6a8-3a62-4a43-8a5c-0d2a2b1c3d4e', 'Shop', WEB, { rule: ['=', ['fact', 'role'], 'shop'] }),
  group('a1a0a6a8-3a62-4a43-8a5c-0d2a2b1c3d4e', `Databases ${SCRIPT}`, TOP, { rule: ['=', ['fact', 'role'], 'db'] }),
];

/** The last check-in of a node of two groups. */
const CLASSIFICATION = {
  check_ins: [
    {
      time: iso(ago(4 * MINUTE)),
      explanation: {
        match_explanations: { [WEB]: { value: true }, [TOP]: { value: true } },
        final_classification: {
          environment: 'production',
          classes: { apache: { keepalive: true }, [`profile::${SCRIPT}`]: {} },
          variables: { tier: 'gold', note: SCRIPT },
        },
        classification_sources: {
          environment: { value: 'production', sources: [TOP] },
          classes: { apache: { 'puppetlabs.classifier/sources': [WEB] } },
          variables: { tier: { value: 'gold', sources: [WEB] }, note: { value: SCRIPT, sources: [TOP] } },
        },
      },
    },
  ],
};

const HEX = 'A3:5F:00:91:BC:7E:44:18:2D:6A:F0:9B:C1:D4:E7:38:52:0B:8C:91:77:A0:3E:FD:61:B9:14:C8:2F:90:5D:E6';
const certificate = (name: string, state: string, more: Readonly<Record<string, unknown>> = {}) => ({
  name,
  state,
  fingerprint: HEX,
  fingerprints: { SHA256: HEX, default: HEX },
  dns_alt_names: [],
  subject_alt_names: [],
  authorization_extensions: {},
  ...more,
});
const REQUESTS = [
  certificate('web97.example.com', 'requested'),
  certificate('db12.example.com', 'requested', {
    subject_alt_names: ['DNS:db.example.com'],
    authorization_extensions: { pp_cli_auth: 'true' },
  }),
  certificate(SCRIPT, 'requested'),
];

const ISSUED = ['web01', 'web02', 'old07'].map((name, index) =>
  certificate(`${name}.example.com`, index === 2 ? 'revoked' : 'signed', {
    not_before: '2026-01-04T10:00:00UTC',
    not_after: '2031-01-03T10:00:00UTC',
    serial_number: 412 + index,
  }),
);

const USERS = [
  { login: 'admin', display_name: 'Administrator', is_superuser: true, role_ids: [1] },
  { login: 'alice', display_name: 'Alice Example', email: 'alice@example.com', role_ids: [1] },
  { login: 'bob', display_name: SCRIPT, email: 'bob@example.com', role_ids: [2] },
  { login: 'carol', display_name: 'Carol Gone', is_revoked: true, role_ids: [3] },
].map((user, index) => ({
  id: index === 1 ? SESSION.user.id : `42bf351c-f9ec-40af-84ad-00000000000${index}`,
  email: '',
  is_group: false,
  is_remote: false,
  is_superuser: false,
  is_revoked: false,
  last_login: index === 3 ? null : iso(ago(index * HOUR)),
  ...user,
}));
const permission = (type: string, action: string) => ({ object_type: type, action, instance: '*' });
const ROLES = [
  {
    id: 1,
    display_name: 'Administrators',
    description: 'May do everything',
    permissions: [permission('*', '*')],
    user_ids: ['a', 'b'],
  },
  {
    id: 2,
    display_name: 'Operators',
    description: 'Run jobs and change groups',
    permissions: [
      permission('console_page', 'view'),
      permission('orchestrator', 'view'),
      permission('puppet_agent', 'run'),
      permission('tasks', 'run'),
    ],
    user_ids: ['c'],
  },
  {
    id: 3,
    display_name: 'Viewers',
    description: 'See the fleet',
    permissions: [permission('console_page', 'view')],
    user_ids: [],
  },
].map((role) => ({ group_ids: [], ...role }));
const TOKENS = [
  { id: '1', label: 'deploy-pipeline', description: 'GitLab', client: 'curl' },
  { id: '2', label: null, description: null, client: 'console' },
].map((token) => ({
  creation_date: iso(ago(3 * DAY)),
  expiration_date: iso(NOW + 80 * DAY),
  last_active_date: iso(ago(7 * MINUTE)),
  session_timeout: null,
  ...token,
}));

const PREVIEW = {
  environment: 'production',
  codeId: '9c1f'.padEnd(64, '0'),
  inForce: '8c1f'.padEnd(64, '0'),
  files: { added: [], changed: ['data/os/Debian.yaml'], removed: [] },
  faults: [],
  touched: 412,
  compared: 20,
  unchanged: 314,
  fixed: 0,
  unanswered: 0,
  groupsLeftOut: 0,
  failures: [
    { certname: 'db02.example.com', isNew: true, message: `Could not find class ::postgresql::client ${SCRIPT}` },
  ],
  groups: [
    {
      nodes: [
        'web01.example.com',
        'web02.example.com',
        'web03.example.com',
        'web04.example.com',
        'web05.example.com',
        'web06.example.com',
      ],
      count: 96,
      differences: [
        {
          resource: 'File[/etc/ntp.conf]',
          kind: 'changed',
          parameter: 'content',
          from: 'server 0.debian.pool.ntp.org\n',
          to: 'server 0.pool.ntp.org\n',
        },
        { resource: 'Package[chrony]', kind: 'added' },
        { resource: `Notify[${SCRIPT}]`, kind: 'removed' },
      ],
    },
    {
      nodes: ['mail01.example.com'],
      count: 1,
      differences: [
        { resource: 'Service[postfix]', kind: 'changed', parameter: 'ensure', from: 'running', to: 'stopped' },
      ],
    },
  ],
};

export const COMPARISON = {
  compared: 4_211,
  equal: 3_902,
  different: 288,
  failing: 14,
  unknown: 7,
  since: ago(3 * HOUR),
  until: ago(2 * HOUR),
  groups: PREVIEW.groups,
  failures: [
    {
      message: `Evaluation Error: Unknown variable: 'x' ${SCRIPT}`,
      count: 14,
      nodes: ['db01', 'db02', 'db03', 'db04', 'db05', 'db06'].map((name) => `${name}.example.com`),
    },
  ],
  unknowns: [{ message: 'PuppetDB has no catalog of the node', count: 7, nodes: ['old07.example.com'] }],
  omitted: 3,
};

const CHANGE = {
  id: 'g-17',
  at: ago(40 * MINUTE),
  kind: 'groups',
  environment: null,
  summary: `Web servers ${SCRIPT}: rule`,
  user: 'bob',
  nodes: 96,
};

const DIFFERENCE = {
  environment: 'production',
  codeId: DEPLOYS[0]?.codeId,
  files: {
    added: ['data/nodes/web01.yaml'],
    removed: [],
    changed: ['data/os/Debian.yaml', `files/${SCRIPT}`],
    count: 3,
  },
  nodes: ['web01', 'web02', 'db01'].map((name, index) => ({
    certname: `${name}.example.com`,
    why: index === 2 ? [] : ['data/os/Debian.yaml'],
  })),
  next: null,
  total: 96,
};

const SOURCES = {
  canSync: true,
  sources: [
    {
      name: 'control',
      url: 'https://git.example.com/platform/control-repo.git',
      prefix: null,
      hasKey: false,
      webhook: '/understudy/v1/code-sources/control/webhook',
      environments: [
        {
          environment: 'production',
          branch: 'production',
          commit: '3f7a9c2e5b8d1a4f6c0e9b7d5a3f1c8e6b4d2a0f',
          rolledBack: { codeId: `8${'1'.repeat(63)}`, user: SCRIPT, at: ago(HOUR) },
        },
        {
          environment: 'feature_mail',
          branch: `feature/${SCRIPT}`,
          commit: '4f7a9c2e5b8d1a4f6c0e9b7d5a3f1c8e6b4d2a0f',
          rolledBack: null,
        },
      ],
      lastSync: {
        at: ago(12 * MINUTE),
        isRunning: false,
        troubles: [`branch 'broken' was not deployed: Syntax error at '${SCRIPT}'`],
      },
    },
    {
      name: 'team',
      url: 'git@git.example.com:team/puppet.git',
      prefix: 'team',
      hasKey: true,
      webhook: null,
      environments: [],
      lastSync: null,
    },
  ],
};

const VALUES = {
  hasMore: false,
  values: [
    { environment: 'production', name: 'postgres::password/db01', changedAt: ago(40 * DAY), by: 'db01.example.com' },
    { environment: 'staging', name: `grafana::key ${SCRIPT}`, changedAt: ago(2 * HOUR), by: SCRIPT },
  ],
};

/** Of the environment staging. */
const STAGE = {
  environment: 'staging',
  codeId: DEPLOYS[0]?.codeId,
  begunAt: ago(2 * HOUR),
  user: SCRIPT,
  lateAt: ago(HOUR),
  state: 'held',
  reason: `1 of 3 canaries is worse: ${SCRIPT}`,
  plan: { whenGood: 'promote', whenWorse: 'hold', whenLate: 'hold' },
  counts: { good: 1, worse: 1, waiting: 1, uncounted: 0 },
  canaries: [
    { certname: 'db01.example.com', status: 'worse', reason: `its run failed ${SCRIPT}` },
    { certname: 'mail01.example.com', status: 'waiting', reason: 'it has not run yet' },
    { certname: 'web01.example.com', status: 'good', reason: null },
  ],
};

const parameter = (name: string, type: string, preset: string | null, control: object) => ({
  ...{ name, type, description: `About ${SCRIPT}`, isRequired: preset === null, default: preset },
  ...{ choices: [], isOptional: false, ...control },
});
/** A class with a parameter of each control. */
const CLASS_FORM = {
  ...{ name: 'apache', environment: 'production', description: `A web server ${SCRIPT}` },
  parameters: [
    parameter('keepalive', 'Boolean', 'true', { control: 'choice', choices: [true, false] }),
    parameter('log_level', 'Apache::LogLevel', "'warn'", { control: 'choice', choices: ['debug', 'warn'] }),
    parameter('port', 'Stdlib::Port', '80', { control: 'integer' }),
    parameter('docroot', 'Optional[Stdlib::Unixpath]', 'undef', { control: 'text', isOptional: true }),
    parameter('mods', 'Array[String]', null, { control: 'json' }),
  ],
};

/** Code, groups, certificates, queue, access and changes. */
export const OPERATION_ROUTES: FakeRoutes = {
  'GET /understudy/v1/environments': ok({
    environments: [0, 1].map((index) => {
      const { environment: name, codeId, at: deployedAt, user, isSettled } = DEPLOYS[index] ?? {};
      const invalidating = isSettled === true ? null : { nodes: 1400, parts: 16, partsDone: 7 };
      const isStaged = name === STAGE.environment;
      const stage = isStaged ? { ...STAGE, canaries: STAGE.canaries.length, isOfPolicy: true } : null;
      const rolledBack = isStaged ? null : { codeId: `8${'1'.repeat(63)}`, user: SCRIPT, at: ago(HOUR) };
      const known = { name, codeId, deployedAt, user, language: 'openvox-8', isSettled, invalidating };
      return { ...known, stage, rolledBack, stageCanaries: isStaged ? '5%' : 'off' };
    }),
  }),
  'GET /understudy/v1/environments/*/code': ({ query }, environment) => {
    const [path, line] = [query.get('path') ?? '', Number(query.get('line') ?? 1)];
    const first = Math.max(1, line - 60);
    const lines = Array.from({ length: 121 }, (_, index) =>
      first + index === 12 ? `  content => '${SCRIPT}',` : `  # line ${first + index} of ${path}`,
    );
    const codeId = query.get('code') ?? DEPLOYS[0]?.codeId;
    return { body: { environment, codeId, isInForce: !query.has('code'), path, first, total: 300, lines } };
  },
  'GET /understudy/v1/environments/*/stage': ok(STAGE),
  'POST /understudy/v1/deploys/stage/promote': ok({ environment: 'staging', nodes: 3 }),
  'POST /understudy/v1/deploys/stage/abort': ok({ environment: 'staging', nodes: 3 }),
  'GET /understudy/v1/environments/*/diff': ok(DIFFERENCE),
  'POST /understudy/v1/environments/*/rollback': ok({ environment: 'production', changed: true, nodes: 3 }),
  'GET /understudy/v1/code-sources': ok(SOURCES),
  'PUT /understudy/v1/code-sources/*': (_, source) => ({ body: { source } }),
  'DELETE /understudy/v1/code-sources/*': (_, removed) => ({ body: { removed } }),
  'POST /understudy/v1/code-sources/*/sync': (_, source) => ({ body: { source } }),
  'GET /understudy/v1/values': ok(VALUES),
  'POST /understudy/v1/environments/*/values/rotate': ok({ environment: 'production', name: 'x', nodes: 3 }),
  'GET /understudy/v1/policies': ok({
    default: { strict: 'error', strict_variables: true, freshness: 'wait', hold_seconds: 120 },
    'environments/staging': {
      freshness: 'stale',
      retry_after_seconds: [10, 300],
      strict: 'warning',
      deploy_check: 'on',
      stage_canaries: '5%',
      stage_when_worse: 'abort',
      notify: 'paced',
      notify_rate: '2%/min',
      notify_window: '22:00-05:00 Europe/Berlin',
    },
    'nodes/web01.example.com': { freshness: 'retry' },
  }),
  'GET /understudy/v1/changes': ok({ changes: [CHANGE], next: null }),
  'GET /understudy/v1/changes/*/nodes': ok({
    change: CHANGE,
    nodes: [{ certname: 'web01.example.com', why: [`the group ${SCRIPT}`] }],
    next: null,
    omitted: 95,
  }),
  'GET /understudy/v1/comparisons': ok(COMPARISON),
  'GET /understudy/v1/backups': ok({ last: { at: ago(9 * DAY), file: `/srv/backups/${SCRIPT}`, blobs: 48_112 } }),
  'GET /understudy/v1/deploys': ok({ deploys: DEPLOYS }),
  'POST /code-manager/v1/deploys': ok([{ environment: 'production', id: 1, status: 'complete' }]),
  'POST /understudy/v1/deploys/preview': ok(PREVIEW),
  'GET /classifier-api/v1/groups': ok(GROUPS),
  'GET /classifier-api/v1/groups/*': (_, id) => ({ body: GROUPS.find((one) => one.id === id) ?? null }),
  'GET /classifier-api/v1/nodes/*': ok(CLASSIFICATION),
  'POST /classifier-api/v1/groups/*': ({ body }, id) => ({
    body: { ...GROUPS.find((one) => one.id === id), ...(body as Readonly<Record<string, unknown>>), serial_number: 8 },
  }),
  'GET /understudy/v1/groups/classes': ({ query }) => {
    const found = ['apache', 'apache::vhost', 'ntp'].filter((name) => name.includes(query.get('search') ?? ''));
    return { body: { classes: found, total: found.length } };
  },
  'GET /understudy/v1/groups/classes/*': (_, name) =>
    name === 'apache'
      ? { body: CLASS_FORM }
      : { status: 404, body: { kind: 'not-found', msg: 'There is no such class' } },
  'POST /understudy/v1/groups/check': ({ body }) => {
    const message = "parameter 'port' expects a Stdlib::Port = Integer[0, 65535] value, got String";
    const isWrong = JSON.stringify(body).includes('"port":"');
    return { body: { faults: isWrong ? [{ class: 'apache', parameter: 'port', message }] : [] } };
  },
  'POST /understudy/v1/groups/preview': ({ body }) => {
    const isWeb = JSON.stringify(body).includes('"web"');
    return {
      body: {
        matching: isWeb ? 97 : 3,
        nodes: isWeb ? ['legacy.example.com', 'web01.example.com', 'web02.example.com'] : ['db01.example.com'],
        gained: isWeb ? 2 : 0,
        lost: isWeb ? 0 : 1,
        changed: isWeb ? 0 : 1,
        catalogs: isWeb ? 0 : 1,
        changes: isWeb ? [] : [{ certname: 'web01.example.com', kind: 'leaves', summary: 'loses the class apache' }],
        isComplete: true,
      },
    };
  },
  'GET /understudy/v1/certificates': ({ query }) => ({
    body: { isElsewhere: false, certificates: query.get('state') === 'issued' ? ISSUED : REQUESTS, next: null },
  }),
  'PUT /puppet-ca/v1/certificate_status/*': () => ({ status: 204, body: null }),
  'DELETE /puppet-ca/v1/certificate_request/*': () => ({ status: 204, body: null }),
  'GET /understudy/v1/queue': ok({ queues: QUEUES }),
  'GET /understudy/v1/dead-letters': ok({
    counts: { compile: 2, 'fan-out': 1, notify: 1, 'report-url': 1, puppetdb: 1, 'alert-url': 0 },
    deadLetters: [
      ...['build09', 'build10'].map((name, index) => ({
        queue: 'compile',
        id: `${name}-7`,
        certname: `${name}.example.com`,
        content: 'catalog',
        transactionUuid: null,
        reason: 'the compile took longer than 60000 ms',
        cause: index === 0 ? `fact ${SCRIPT}` : 'deploy of production',
        at: ago((index + 2) * HOUR),
        isDue: false,
        isReadable: true,
      })),
      {
        queue: 'report-url',
        id: 'letter-2',
        certname: 'web01.example.com',
        content: 'report',
        transactionUuid: '0f5f6c1e-8c75',
        reason: `status 422: ${SCRIPT}`,
        cause: null,
        at: ago(3 * HOUR),
        isDue: false,
        isReadable: true,
      },
      {
        queue: 'notify',
        id: 'app03.example.com',
        certname: 'app03.example.com',
        content: 'run',
        transactionUuid: null,
        reason: 'Puppet agent is disabled',
        cause: null,
        at: ago(4 * HOUR),
        isDue: false,
        isReadable: true,
      },
      {
        queue: 'puppetdb',
        id: 'letter-1',
        certname: 'db01.example.com',
        content: 'facts',
        transactionUuid: null,
        reason: 'status 400: the payload is too large',
        cause: null,
        at: ago(5 * HOUR),
        isDue: true,
        isReadable: true,
      },
      {
        queue: 'fan-out',
        id: 'chain-1',
        certname: null,
        content: 'deploy',
        transactionUuid: null,
        reason: 'the message is not a fan-out: no chain',
        cause: 'deploy of production, revision production 3@5',
        at: ago(6 * HOUR),
        isDue: false,
        isReadable: false,
      },
    ],
  }),
  'POST /understudy/v1/dead-letters/*/redrive': () => ({ body: { redriven: 1, unreadable: [] } }),
  'GET /rbac-api/v1/users': ok(USERS),
  'GET /rbac-api/v1/roles': ok(ROLES),
  'GET /rbac-api/v1/types': ok([
    {
      object_type: 'console_page',
      display_name: 'Console',
      actions: [{ name: 'view', display_name: 'View', has_instances: false }],
    },
    {
      object_type: 'tasks',
      display_name: 'Tasks',
      actions: [{ name: 'run', display_name: 'Run', has_instances: true }],
    },
  ]),
  'GET /rbac-api/v1/users/*/tokens': ok({ items: TOKENS, pagination: { total: 2 } }),
  'POST /rbac-api/v1/tokens': ok({ token: 'AaBbCc-a-new-token' }),
};
