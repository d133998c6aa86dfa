import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ConsoleAsset } from '../../../../shared/http/console/console-files.ts';
import {
  CONSOLE_ORIGIN,
  CONSOLE_PASSWORD,
  type ConsoleDoor,
  type ConsoleQuestion,
  openConsoleDoor,
} from '../../../helpers/console-door.ts';

const asset = (path: string, type: string, text: string): ConsoleAsset => ({
  path,
  type,
  bytes: Buffer.from(text),
  hash: Buffer.from(path).toString('hex').padEnd(64, '0'),
  isImmutable: path.endsWith('.js'),
});
const PAGE = '<!doctype html><script src="/console/assets/app-1a2b3c4d.js"></script>';
const ASSETS = [
  asset('index.html', 'text/html;charset=utf-8', PAGE),
  asset('assets/app-1a2b3c4d.js', 'text/javascript', 'let answer = 42;'),
  asset('icon.png', 'image/png', 'png'),
];
const VIEWERS = 3;
const PROJECT_DEPLOYERS = 5;

let door: ConsoleDoor;
beforeEach(async () => {
  door = await openConsoleDoor(ASSETS);
});

const kindOf = async (answer: Response) => `${answer.status} ${((await answer.json()) as { kind: string }).kind}`;

describe('the files of the console', () => {
  it.each([
    ['/console/', 200, PAGE],
    ['/console/index.html', 200, PAGE],
    ['/console/nodes/web01.example.com?tab=inputs', 200, PAGE],
    ['/console/nodes/a.b.png', 200, PAGE],
    ['/console/assets/app-1a2b3c4d.js', 200, 'let answer = 42;'],
    ['/console/assets/app-ffffffff.js', 404, 'There is no file assets/app-ffffffff.js'],
    ['/console/console-ffffffff.js', 404, 'There is no file console-ffffffff.js'],
  ])('%s answers %i', async (path, status, text) => {
    const answer = await door.ask(path);
    expect([answer.status, await answer.text()]).toEqual([status, text]);
  });

  it.each([
    ['/console/', 'no-cache'],
    ['/console/jobs/1', 'no-cache'],
    ['/console/icon.png', 'no-cache'],
    ['/console/assets/app-1a2b3c4d.js', 'public, max-age=31536000, immutable'],
  ])('%s may be cached: %s', async (path, cache) => {
    const answer = await door.ask(path);
    expect(answer.headers.get('Cache-Control')).toBe(cache);
    const tag = answer.headers.get('ETag') ?? '';
    const again = await door.ask(path, { headers: { 'If-None-Match': `"other", ${tag}` } });
    expect([again.status, await again.text(), again.headers.get('ETag')]).toEqual([304, '', tag]);
  });

  it.each([
    ['gzip, deflate, br', 'br', (bytes: Buffer) => brotliDecompressSync(bytes)],
    ['gzip;q=0.5, br;q=0', 'gzip', (bytes: Buffer) => gunzipSync(bytes)],
    ['br;q=0.0, gzip;q=0', null, (bytes: Buffer) => bytes],
  ])('are sent as a client with Accept-Encoding %s reads them', async (accepted, encoding, decode) => {
    const answer = await door.ask('/console/', { headers: { 'Accept-Encoding': accepted } });
    expect(answer.headers.get('Content-Encoding')).toBe(encoding);
    expect(decode(Buffer.from(await answer.arrayBuffer())).toString()).toBe(PAGE);
  });

  it('run nothing of another origin, and show in no frame', async () => {
    const { headers } = await door.ask('/console/');
    expect(headers.get('Content-Security-Policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(headers.get('Strict-Transport-Security')).toBe('max-age=31536000');
    expect(headers.get('Referrer-Policy')).toBe('no-referrer');
    expect(headers.get('Cross-Origin-Opener-Policy')).toBe('same-origin');
  });

  it.each([
    ['GET', '/', 302],
    ['GET', '/console/', 200],
    ['GET', '/console/%00', 400],
    ['GET', '/console/session', 401],
    ['POST', '/console/session', 401],
    ['GET', '/understudy/v1/overview', 401],
    ['GET', '/orchestrator/v1/jobs', 404],
    ['GET', '/nothing', 404],
  ])('are asked for over TLS alone after the answer to %s %s', async (method, path, status) => {
    const question = method === 'POST' ? { method, body: { login: 'nobody', password: 'x' } } : {};
    const answer = await door.ask(path, question);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('Strict-Transport-Security')).toBe('max-age=31536000');
  });

  it('are found from the root, and are named as missing when there are none', async () => {
    expect((await door.ask('/')).headers.get('Location')).toBe('/console/');
    const empty = await openConsoleDoor();
    const answer = await empty.ask('/console/');
    expect([answer.status, await answer.text()]).toEqual([404, 'This server has no files of the console']);
  });

  it.each(['/console/%00', '/console/..%2fsecret'])('refuse %s', async (path) => {
    expect((await door.ask(path)).status).toBe(400);
  });
});

describe('a session', () => {
  it('begins with a cookie that scripts do not read and other sites do not send', async () => {
    await door.addUser('vera', [VIEWERS]);
    const answer = await door.ask('/console/session', {
      method: 'POST',
      body: { login: 'vera', password: CONSOLE_PASSWORD },
    });
    expect(answer.headers.get('Set-Cookie')).toMatch(
      /^__Host-understudy=[\w-]{44}; Max-Age=43200; Path=\/; Secure; HttpOnly; SameSite=Strict$/,
    );
    expect(answer.headers.get('Cache-Control')).toBe('no-store');
    expect(await answer.json()).toEqual({
      user: { id: expect.any(String), login: 'vera', display_name: 'Vera' },
      permissions: expect.arrayContaining([{ object_type: 'console_page', action: 'view', instance: '*' }]),
      expires: '2026-11-21T10:12:50Z',
      idle_seconds: 3600,
    });
    expect(door.audit.map(({ event, login, outcome, subject }) => [event, login, outcome, subject])).toEqual([
      ['log-in', 'vera', 'granted', undefined],
      ['permission', 'vera', 'granted', 'console_page:view:*'],
      ['change', 'vera', 'granted', 'console session created'],
    ]);
  });

  it('answers who has it, and opens the APIs', async () => {
    const cookie = await door.logIn('vera', [VIEWERS]);
    expect(await (await door.ask('/console/session', { cookie })).json()).toMatchObject({ user: { login: 'vera' } });
    const current = await door.ask('/rbac-api/v1/users/current', { cookie });
    expect([current.status, await current.json()]).toMatchObject([200, { login: 'vera' }]);
    expect(current.headers.get('Cache-Control')).toBe('no-store');
  });

  it('ends with the token, and once only', async () => {
    const cookie = await door.logIn('vera', [VIEWERS]);
    const answer = await door.ask('/console/session', { method: 'DELETE', cookie });
    expect([answer.status, answer.headers.get('Set-Cookie')]).toEqual([
      204,
      '__Host-understudy=; Max-Age=0; Path=/; Secure; HttpOnly; SameSite=Strict',
    ]);
    expect((await door.ask('/rbac-api/v1/users/current', { cookie })).status).toBe(401);
    expect((await door.ask('/rbac-api/v1/users/current', { headers: { 'X-Authentication': cookie } })).status).toBe(
      401,
    );
    expect((await door.ask('/console/session', { method: 'DELETE', cookie })).status).toBe(204);
  });

  it.each([
    ['an hour without a request', 3601_000],
    ['half a day', 12 * 3600_000],
  ])('ends after %s, and the cookie is deleted', async (_, milliseconds) => {
    const cookie = await door.logIn('vera', [VIEWERS]);
    door.clock.time += milliseconds;
    const answer = await door.ask('/console/session', { cookie });
    expect(await kindOf(answer.clone())).toBe('401 user-unauthenticated');
    expect(answer.headers.get('Set-Cookie')).toMatch(/^__Host-understudy=; Max-Age=0;/);
    expect((await door.ask('/understudy/v1/reports', { cookie })).status).toBe(401);
  });

  it('is a new one at each log-in: a token that was there before ends', async () => {
    const fixed = await door.logIn('mallory', [VIEWERS]);
    await door.addUser('vera', [VIEWERS]);
    const answer = await door.ask('/console/session', {
      method: 'POST',
      cookie: fixed,
      body: { login: 'vera', password: CONSOLE_PASSWORD },
    });
    expect(answer.headers.get('Set-Cookie')).not.toContain(fixed);
    expect((await door.ask('/console/session', { cookie: fixed })).status).toBe(401);
  });

  it.each([
    ['a wrong password', { login: 'vera', password: 'wrong' }, '401 user-unauthenticated'],
    ['an unknown login', { login: 'nobody', password: CONSOLE_PASSWORD }, '401 user-unauthenticated'],
    ['no password', { login: 'vera' }, '400 schema-violation'],
    ['no JSON', 'login=vera', '400 malformed-request'],
  ])('does not begin with %s', async (_, body, expected) => {
    await door.addUser('vera', [VIEWERS]);
    const answer = await door.ask('/console/session', { method: 'POST', body });
    expect(answer.headers.get('Set-Cookie')).toBe(null);
    expect(await kindOf(answer)).toBe(expected);
  });

  it('does not begin for who may not open the console', async () => {
    expect(await door.logIn('carl', [PROJECT_DEPLOYERS])).toBe('');
  });

  it('does not begin after too many attempts, whatever the password', async () => {
    await door.addUser('vera', [VIEWERS]);
    const post = (password: string) =>
      door.ask('/console/session', { method: 'POST', body: { login: 'vera', password } });
    for (let attempt = 0; attempt < 10; attempt += 1) expect((await post('wrong')).status).toBe(401);
    const answer = await post(CONSOLE_PASSWORD);
    expect([answer.headers.get('Retry-After'), await kindOf(answer)]).toEqual(['60', '429 too-many-attempts']);
  });
});

describe('a request that another page made with the cookie', () => {
  const OWN = { 'X-Understudy-Console': '1' };
  const NONE = { 'X-Understudy-Console': '' };
  it.each<[string, ConsoleQuestion, string]>([
    ['a form', { method: 'POST', headers: NONE, body: {} }, '403 cross-site-request'],
    ['another value', { method: 'POST', headers: { 'X-Understudy-Console': '0' }, body: {} }, '403 cross-site-request'],
    [
      'a foreign origin',
      { method: 'POST', headers: { ...OWN, Origin: 'https://evil.test' }, body: {} },
      '403 cross-site-request',
    ],
    [
      'another port',
      { method: 'POST', headers: { Origin: 'https://console.test:9' }, body: {} },
      '403 cross-site-request',
    ],
    [
      'plain HTTP',
      { method: 'POST', headers: { Origin: 'http://console.test:8443' }, body: {} },
      '403 cross-site-request',
    ],
    ['a null origin', { method: 'DELETE', headers: { Origin: 'null' } }, '403 cross-site-request'],
    [
      'another site',
      { method: 'PUT', headers: { 'Sec-Fetch-Site': 'cross-site' }, body: {} },
      '403 cross-site-request',
    ],
    [
      'the same site',
      { method: 'POST', headers: { 'Sec-Fetch-Site': 'same-site' }, body: {} },
      '403 cross-site-request',
    ],
    ['the address bar', { method: 'POST', headers: { 'Sec-Fetch-Site': 'none' }, body: {} }, '403 cross-site-request'],
    ['an image', { headers: { 'Sec-Fetch-Site': 'cross-site' } }, '403 cross-site-request'],
    ['a script of the same site', { headers: { 'Sec-Fetch-Site': 'same-site' } }, '403 cross-site-request'],
  ])('by %s is refused', async (_, question, expected) => {
    const cookie = await door.logIn('vera', [VIEWERS]);
    expect(await kindOf(await door.ask('/rbac-api/v1/roles', { ...question, cookie }))).toBe(expected);
    // The session still counts.
    expect((await door.ask('/console/session', { cookie })).status).toBe(200);
  });

  it('is refused for a log-in, too', async () => {
    await door.addUser('vera', [VIEWERS]);
    const body = { login: 'vera', password: CONSOLE_PASSWORD };
    const answer = await door.ask('/console/session', { method: 'POST', headers: NONE, body });
    expect(await answer.json()).toEqual({
      kind: 'cross-site-request',
      msg: 'A request with the cookie that is not GET or HEAD needs the header X-Understudy-Console: 1',
      details: {},
    });
  });

  it.each<[string, ConsoleQuestion, number]>([
    [
      'its own origin',
      { method: 'POST', headers: { Origin: CONSOLE_ORIGIN, 'Sec-Fetch-Site': 'same-origin' }, body: {} },
      403,
    ],
    ['no origin', { method: 'POST', body: {} }, 403],
    ['the address bar', { headers: { 'Sec-Fetch-Site': 'none', 'X-Understudy-Console': '' } }, 200],
  ])('by %s reaches the API', async (_, question, status) => {
    const cookie = await door.logIn('vera', [VIEWERS]);
    const answer = await door.ask('/rbac-api/v1/roles', { ...question, cookie });
    expect(answer.status).toBe(status);
    if (status === 403) expect(await kindOf(answer)).toBe('403 permission-denied');
  });
});

describe('the APIs at the console', () => {
  it.each(['/rbac-api/v1/roles', '/understudy/v1/reports', '/puppet-ca/v1/certificate_statuses/all'])(
    '%s needs a token',
    async (path) => {
      expect(await kindOf(await door.ask(path))).toBe('401 user-unauthenticated');
      expect((await door.ask(path, { cookie: 'x'.repeat(44) })).status).toBe(401);
      expect((await door.ask(path, { headers: { 'X-Authentication': 'x'.repeat(44) } })).status).toBe(401);
    },
  );

  it('take a token in the header without the rule for cookies', async () => {
    await door.addUser('vera', [VIEWERS]);
    const headers = { 'X-Authentication': await door.tokenOf('vera'), 'X-Understudy-Console': '' };
    expect(await kindOf(await door.ask('/rbac-api/v1/roles', { method: 'POST', headers, body: {} }))).toBe(
      '403 permission-denied',
    );
  });

  it('answer data that no browser takes for a page', async () => {
    const cookie = await door.logIn('vera', [VIEWERS]);
    const { headers } = await door.ask('/rbac-api/v1/roles', { cookie });
    expect(headers.get('Content-Type')).toBe('application/json;charset=utf-8');
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(headers.get('Content-Security-Policy')).toContain("default-src 'none'");
  });

  it('say what the server runs without', async () => {
    expect(await (await door.ask('/orchestrator/v1/jobs')).json()).toEqual({
      kind: 'not-found',
      msg: 'This server runs without an orchestrator',
      details: {},
    });
    expect(await kindOf(await door.ask('/puppet/v3/catalog/web01'))).toBe('404 not-found');
  });

  it('are logged without the cookie', async () => {
    const cookie = await door.logIn('vera', [VIEWERS]);
    await door.ask('/rbac-api/v1/roles', { cookie });
    expect(door.requests.map(({ method, path, status }) => `${method} ${path} ${status}`)).toEqual([
      'POST /console/session 200',
      'GET /rbac-api/v1/roles 200',
    ]);
    expect(JSON.stringify(door.requests)).not.toContain(cookie);
  });
});
