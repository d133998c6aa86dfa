import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalSite, PORTS, type PortName, type SiteRequest } from '../../helpers/local-site.ts';

const NODE = 'web01.example.com';
let site: LocalSite;
beforeAll(async () => {
  site = await LocalSite.open([NODE]);
});
afterAll(() => site.stop());

type Headers = readonly (readonly [string, string])[];
/** What the server takes a request for: without a token, with one, or with several. */
type Taken = 'none' | 'token' | 'refused';
type Form = readonly [string, (token: string) => Headers, (token: string) => string, Taken];

const plain = () => '';
const bare = (): Headers => [];
const name = 'X-Authentication';
const OTHER = 'o'.repeat(43);

const FORMS: readonly Form[] = [
  ['no header', bare, plain, 'none'],
  ['X-Authentication', (token) => [[name, token]], plain, 'token'],
  ['X-Authentication in another case', (token) => [['x-aUTHENTICATION', token]], plain, 'token'],
  ['X-Authentication with blanks around it', (token) => [[name, ` \t${token}  `]], plain, 'token'],
  ['an empty X-Authentication', () => [[name, '']], plain, 'none'],
  ['a blank X-Authentication', () => [[name, '  \t ']], plain, 'none'],
  [
    'X-Authentication twice, the same',
    (token) => [
      [name, token],
      [name, token],
    ],
    plain,
    'token',
  ],
  [
    'X-Authentication twice, one empty',
    (token) => [
      [name, ''],
      [name, token],
    ],
    plain,
    'token',
  ],
  [
    'X-Authentication twice, different',
    (token) => [
      [name, token],
      [name, OTHER],
    ],
    plain,
    'refused',
  ],
  ['X-Authentication with a list', (token) => [[name, `${token}, ${OTHER}`]], plain, 'refused'],
  ['a bearer', (token) => [['Authorization', `Bearer ${token}`]], plain, 'token'],
  ['a bearer in another case', (token) => [['authorization', `bEARER   ${token}`]], plain, 'token'],
  ['a bearer without a token', () => [['Authorization', 'Bearer']], plain, 'none'],
  ['a bearer with a blank token', () => [['Authorization', 'Bearer   ']], plain, 'none'],
  ['an empty Authorization', () => [['Authorization', '']], plain, 'none'],
  ['another scheme', () => [['Authorization', 'Basic YTpi']], plain, 'none'],
  [
    'a bearer twice, different',
    (token) => [
      ['Authorization', `Bearer ${token}`],
      ['Authorization', `Bearer ${OTHER}`],
    ],
    plain,
    'refused',
  ],
  [
    'both headers, the same',
    (token) => [
      [name, token],
      ['Authorization', `Bearer ${token}`],
    ],
    plain,
    'token',
  ],
  [
    'both headers, different',
    (token) => [
      [name, token],
      ['Authorization', `Bearer ${OTHER}`],
    ],
    plain,
    'refused',
  ],
  [
    'both headers, one empty',
    (token) => [
      [name, ''],
      ['Authorization', `Bearer ${token}`],
    ],
    plain,
    'token',
  ],
  ['the parameter', bare, (token) => `token=${token}`, 'token'],
  ['an empty parameter', bare, () => 'token=', 'none'],
  ['a blank parameter', bare, () => 'token=%20+', 'none'],
  ['the parameter twice, the same', bare, (token) => `token=${token}&token=${token}`, 'token'],
  ['the parameter twice, different', bare, (token) => `token=${token}&token=${OTHER}`, 'refused'],
  ['the parameter and a header, different', () => [[name, OTHER]], (token) => `token=${token}`, 'refused'],
];

interface Door {
  readonly port: PortName;
  readonly path: string;
  /** Absent: an administrator's. */
  readonly isDeployToken?: true;
  /** The status without a token: with a certificate of a node, and without. */
  readonly others: readonly [number, number];
}

const DOORS: readonly Door[] = [
  { port: 'frontDoor', path: '/code-manager/v1/deploys/status', isDeployToken: true, others: [401, 401] },
  { port: 'frontDoor', path: `/puppet/v3/node/${NODE}?environment=production`, others: [200, 403] },
  { port: 'access', path: '/rbac-api/v1/users/current', others: [401, 401] },
  { port: 'orchestrator', path: '/orchestrator/v1/jobs', others: [401, 401] },
  { port: 'inventoryTls', path: '/pdb/query/v4/environments', others: [200, 401] },
  { port: 'console', path: '/rbac-api/v1/users/current', others: [401, 401] },
  { port: 'console', path: '/orchestrator/v1/jobs', others: [401, 401] },
  { port: 'console', path: '/pdb/query/v4/environments', others: [401, 401] },
];

describe.each(DOORS)('$port $path', ({ port, path, isDeployToken, others }) => {
  it.each(FORMS)('%s', async (_, headersFor, parameterFor, taken) => {
    const token = isDeployToken ? site.deployToken : site.token;
    const parameter = parameterFor(token);
    const whole = parameter === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${parameter}`;
    const request: SiteRequest = { port, path: whole, headers: headersFor(token) };
    const answers = [await site.ask({ ...request, who: NODE }), await site.ask(request)];
    // The front door's rules for nodes know certificates alone.
    const isForNodes = path.startsWith('/puppet/');
    const expected = isForNodes || taken === 'none' ? others : taken === 'token' ? [200, 200] : [400, 400];
    expect(answers.map(({ status }) => status)).toEqual(expected);
    const text = port === 'inventoryTls' ? 'text/plain;charset=utf-8' : 'application/json;charset=utf-8';
    if (expected[0] === 400) expect(answers.map(({ type }) => type)).toEqual([text, text]);
  });
});

describe('the cookie of the console', () => {
  const cookie = '__Host-understudy';
  it.each<[string, (token: string) => Headers, number]>([
    ['alone', (token) => [['Cookie', `${cookie}=${token}`]], 200],
    ['with blanks and others around it', (token) => [['Cookie', `a=b;  ${cookie} = ${token} ; c=d`]], 200],
    ['empty', () => [['Cookie', `${cookie}=`]], 401],
    ['twice, the same', (token) => [['Cookie', `${cookie}=${token}; ${cookie}=${token}`]], 200],
    ['twice, one empty', (token) => [['Cookie', `${cookie}=; ${cookie}=${token}`]], 200],
    ['twice, different', (token) => [['Cookie', `${cookie}=${token}; ${cookie}=${OTHER}`]], 400],
    [
      'in two headers, different',
      (token) => [
        ['Cookie', `${cookie}=${token}`],
        ['Cookie', `${cookie}=${OTHER}`],
      ],
      400,
    ],
    [
      'beside an empty X-Authentication',
      (token) => [
        ['Cookie', `${cookie}=${token}`],
        [name, ''],
      ],
      200,
    ],
    [
      'beside a token, which counts',
      (token) => [
        ['Cookie', `${cookie}=${OTHER}`],
        [name, token],
      ],
      200,
    ],
    [
      'beside an unknown token, which counts',
      (token) => [
        ['Cookie', `${cookie}=${token}`],
        [name, OTHER],
      ],
      401,
    ],
  ])('%s', async (_, headersFor, status) => {
    const answer = await site.ask({
      port: 'console',
      path: '/rbac-api/v1/users/current',
      headers: headersFor(site.token),
    });
    expect(answer.status).toBe(status);
  });
});

it.each(PORTS)('the port %s keeps connections for longer than its clients', async (port) => {
  const { keepAlive } = await site.ask({ port, path: '/', headers: [['Connection', 'keep-alive']] });
  expect(keepAlive).toBe('timeout=75');
});

it('asks for no token where none is needed', async () => {
  const paths: readonly [PortName, string][] = [
    ['inventory', '/pdb/query/v4/environments'],
    ['broker', '/status/v1/simple'],
    ['frontDoor', '/status/v1/simple'],
  ];
  for (const [port, path] of paths) {
    for (const [form, headersFor] of FORMS) {
      const { status } = await site.ask({ port, path, headers: headersFor(site.token) });
      expect([form, port, status]).toEqual([form, port, 200]);
    }
  }
});
