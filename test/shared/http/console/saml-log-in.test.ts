/** The log-in of users of an identity provider at the console's door. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openAccessWorld } from '../../../helpers/access-world.ts';
import { CONSOLE_ORIGIN, type ConsoleDoor, openConsoleDoor } from '../../../helpers/console-door.ts';
import { type AssertionParts, IdentityProvider } from '../../../helpers/saml/identity-provider.ts';
import { PLAIN_VAULT } from '../../../helpers/saml/plain-vault.ts';

const [ADMINISTRATORS, OPERATORS, VIEWERS, PROJECT_DEPLOYERS] = [1, 2, 3, 5];
const HOME = '/console/';
const HOUR_MS = 3600_000;

let provider: IdentityProvider;
let door: ConsoleDoor;
/** Answers have an id of their own. */
let answers = 0;

beforeAll(async () => {
  provider = await IdentityProvider.open();
});
beforeEach(async () => {
  door = await openConsoleDoor([], {}, openAccessWorld({ vault: PLAIN_VAULT }));
  await door.access.saml.put(provider.settings());
  await importGroup('viewers', VIEWERS);
});

async function importGroup(login: string, role: number): Promise<string> {
  const names = { login, email: '', displayName: login, isGroup: true, isRemote: true };
  return (await door.access.accounts.create({ ...names, roleIds: [role], password: null })).id;
}

/** Begins a log-in as a browser: the cookie, and the request at the provider. */
async function begin(page = '', cookie: string | null = null) {
  const answer = await door.ask(`/saml/v1/login${page === '' ? '' : `?return=${encodeURIComponent(page)}`}`, {
    cookie,
  });
  const sent = answer.headers.get('Set-Cookie') ?? '';
  const secret = /^__Host-understudy-saml=([^;]+)/.exec(sent)?.[1] ?? '';
  const url = new URL(answer.headers.get('Location') ?? '');
  return { status: answer.status, sent, secret, relayState: url.searchParams.get('RelayState') ?? '' };
}

type Sent = Partial<AssertionParts> & { readonly relayState?: string; readonly secret?: string };

/** Brings an answer of the provider to a request. */
async function bring({ secret, relayState }: { secret: string; relayState: string }, parts: Sent = {}) {
  answers += 1;
  const { createHash } = await import('node:crypto');
  const request = `_${createHash('sha256').update(secret).digest('hex')}`;
  const whole = { request, now: door.clock.now(), id: String(answers), groups: ['viewers'], ...parts };
  const form = new URLSearchParams({
    SAMLResponse: provider.answer(whole),
    RelayState: parts.relayState ?? relayState,
  });
  return post(form.toString(), parts.secret ?? secret);
}

function post(body: string, secret: string): Promise<Response> {
  const headers = {
    'Content-Type': 'application/x-www-form-urlencoded',
    // A page of the provider sends it, and not the console.
    'X-Understudy-Console': '',
    Origin: 'https://idp.example.com',
    'Sec-Fetch-Site': 'cross-site',
    ...(secret === '' ? {} : { Cookie: `theme=dark; __Host-understudy-saml=${secret}` }),
  };
  return door.ask('/saml/v1/acs', { method: 'POST', body, headers });
}

const cookieOf = (answer: Response) =>
  /__Host-understudy=([^;]+)/.exec(answer.headers.getSetCookie().join('\n'))?.[1] ?? null;
const outcomeOf = (answer: Response) => [answer.status, answer.headers.get('Location')];
const refused = (word: string) => [303, `/console/login?next=%2F&saml=${word}`];

async function logIn(parts: Sent = {}): Promise<string | null> {
  return cookieOf(await bring(await begin(), parts));
}

it('opens a session, and makes a user without a password', async () => {
  const began = await begin('/console/nodes?state=failed');
  expect(began).toMatchObject({ status: 302, relayState: '/console/nodes?state=failed' });
  expect(began.sent).toMatch(
    /^__Host-understudy-saml=\d{13}\.[\w-]{44}; Max-Age=600; Path=\/; Secure; HttpOnly; SameSite=None$/,
  );
  const answer = await bring(began);
  expect(outcomeOf(answer)).toEqual([303, '/console/nodes?state=failed']);
  const [session, cleared] = answer.headers.getSetCookie();
  expect(session).toMatch(/^__Host-understudy=[\w-]+; Max-Age=43200; Path=\/; Secure; HttpOnly; SameSite=Strict$/);
  expect(cleared).toBe('__Host-understudy-saml=; Max-Age=0; Path=/; Secure; HttpOnly; SameSite=None');
  const shown = await door.ask('/console/session', { cookie: cookieOf(answer) });
  expect(await shown.json()).toMatchObject({ user: { login: 'amari', display_name: 'amari Perez' } });
  expect(await door.access.accounts.findByLogin('amari')).toMatchObject({
    ...{ email: 'amari@example.com', isRemote: true, isSaml: true, password: null, roleIds: [] },
    lastLogin: door.clock.now(),
  });
  expect(door.audit).toContainEqual(
    expect.objectContaining({ event: 'log-in', login: 'amari', outcome: 'granted', subject: 'saml' }),
  );
});

it('gives what the groups give at this log-in, and takes it back at the next', async () => {
  await importGroup('operators', OPERATORS);
  const cookie = await logIn({ groups: ['viewers', 'operators'] });
  const code = async (one: string | null) => (await door.ask('/rbac-api/v1/users/current', { cookie: one })).json();
  expect(await code(cookie)).toMatchObject({ inherited_role_ids: [OPERATORS, VIEWERS], is_remote: true });
  expect(await code(await logIn())).toMatchObject({ inherited_role_ids: [VIEWERS] });
});

it.each([
  ['another case', 'Viewers'],
  ['a sign that only looks alike', 'v\u0456ewers'],
  ['blanks', ' viewers '],
  ['a sign of no width', 'viewers\u200b'],
  ['a wildcard', '*'],
  ['nothing', ''],
  ['the name of a user', 'admin'],
  ['a distinguished name', 'cn=viewers,dc=example'],
  ['a list', 'viewers,operators'],
  ['a long one', `viewers${'x'.repeat(5000)}`],
])('does not count a group of a name with %s', async (_, name) => {
  expect(outcomeOf(await bring(await begin(), { groups: [name] }))).toEqual(refused('forbidden'));
});

it('ends a session with that of the provider', async () => {
  const end = door.clock.now() + HOUR_MS / 2;
  const answer = await bring(await begin(), { sessionEnd: end });
  expect(answer.headers.getSetCookie()[0]).toContain('Max-Age=1800;');
  const cookie = cookieOf(answer);
  expect((await door.ask('/console/session', { cookie })).status).toBe(200);
  door.clock.time = end;
  expect((await door.ask('/console/session', { cookie })).status).toBe(401);
});

describe('a log-in that does not count', () => {
  it('leads to the log-in page, and leaves what the browser has', async () => {
    const began = await begin();
    const answer = await bring(began, { audience: 'https://other.example.com' });
    expect(outcomeOf(answer)).toEqual(refused('refused'));
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(door.requests.at(-1)?.reason).toMatch(/^saml-refused: It does not count: SAML assertion audience mismatch/);
    expect(outcomeOf(await bring(began))).toEqual([303, HOME]);
  });

  it('is one that somebody else began (login CSRF)', async () => {
    const attacker = await begin();
    const victim = await begin();
    expect(outcomeOf(await bring(attacker, { secret: '' }))).toEqual(refused('expired'));
    expect(outcomeOf(await bring(attacker, { secret: victim.secret }))).toEqual(refused('expired'));
  });

  it('is one that comes twice', async () => {
    const began = await begin();
    const first = new URLSearchParams({ RelayState: HOME });
    const { createHash } = await import('node:crypto');
    const request = `_${createHash('sha256').update(began.secret).digest('hex')}`;
    first.set('SAMLResponse', provider.answer({ request, now: door.clock.now(), id: 'twice', groups: ['viewers'] }));
    expect(outcomeOf(await post(first.toString(), began.secret))).toEqual([303, HOME]);
    expect(outcomeOf(await post(first.toString(), began.secret))).toEqual(refused('expired'));
  });

  it.each([
    ['nothing', ''],
    ['two answers', 'SAMLResponse=AAAA&SAMLResponse=AAAA'],
    ['two states', 'SAMLResponse=AAAA&RelayState=a&RelayState=b'],
    ['JSON', '{"SAMLResponse":"AAAA"}'],
  ])('has %s', async (_, body) => {
    expect(outcomeOf(await post(body, (await begin()).secret))).toEqual(refused('refused'));
  });

  it('is too large', async () => {
    const answer = await post(`SAMLResponse=${'A'.repeat(600_000)}`, '');
    expect(answer.status).toBe(413);
  });

  it('is that of a revoked user', async () => {
    await logIn();
    const account = await door.access.accounts.findByLogin('amari');
    if (account === null) throw new Error('there is no user');
    await door.access.revoke(account);
    expect(outcomeOf(await bring(await begin()))).toEqual(refused('revoked'));
    await door.access.reinstate(account);
    expect(outcomeOf(await bring(await begin()))).toEqual([303, HOME]);
  });

  it.each([
    ['admin', 'a local user'],
    ['api_user', 'the user of certificates'],
    ['ann', 'a local user'],
    ['ANN', 'a local user, in another case'],
    ['\uff41nn', 'a local user, in wide letters'],
    ['viewers', 'a group'],
    ['lea', 'a user of a directory'],
  ])('is that of %s, who is %s', async (login) => {
    await door.addUser('ann', [ADMINISTRATORS]);
    const lea = { login: 'lea', email: '', displayName: '', isGroup: false, isRemote: true };
    await door.access.accounts.create({ ...lea, roleIds: [ADMINISTRATORS], password: null });
    const before = await door.access.accounts.list();
    expect(outcomeOf(await bring(await begin(), { login }))).toEqual(refused('taken'));
    expect(await door.access.accounts.list()).toEqual(before);
  });

  it('is that of a user whose groups do not open the console', async () => {
    await importGroup('deployers', PROJECT_DEPLOYERS);
    expect(outcomeOf(await bring(await begin(), { groups: ['deployers'] }))).toEqual(refused('forbidden'));
    expect(outcomeOf(await bring(await begin(), { groups: [] }))).toEqual(refused('forbidden'));
  });
});

it('gives a user of the provider no log-in by password, and no password', async () => {
  await logIn();
  const body = { login: 'amari', password: '' };
  expect((await door.ask('/console/session', { method: 'POST', body })).status).toBe(401);
  const account = await door.access.accounts.findByLogin('amari');
  const token = await door.tokenOf('admin');
  const reset = await door.ask(`/rbac-api/v1/users/${account?.id}/password/reset`, {
    method: 'POST',
    headers: { 'X-Authentication': token },
  });
  expect(reset.status).toBeGreaterThanOrEqual(400);
});

it.each([
  ['https://evil.example.com/console/'],
  ['//evil.example.com/console/'],
  ['/console/../saml/v1/slo'],
  ['/console/..//evil.example.com'],
  ['/console\\evil.example.com'],
  ['/rbac-api/v1/users'],
  ['javascript:alert(1)'],
  ['/console'],
  ['/console/\r\nSet-Cookie: a=b'.replace('/console/', '/consol/')],
])('leads to the first page in place of %j', async (page) => {
  const began = await begin(page);
  expect(began.relayState).toBe(HOME);
  expect(outcomeOf(await bring(began, { relayState: page }))).toEqual([303, HOME]);
});

it('does not let a page break out of its header', async () => {
  const answer = await bring(await begin(), { relayState: '/console/x\r\nSet-Cookie: a=b' });
  expect(answer.headers.getSetCookie().filter((one) => one.startsWith('a='))).toEqual([]);
  expect(answer.headers.get('Location')).toBe('/console/xSet-Cookie:%20a=b');
});

it('keeps the page of a request within what providers must return', async () => {
  expect((await begin(`/console/nodes?query=${'x'.repeat(100)}`)).relayState).toBe(HOME);
});

describe('the end of a session', () => {
  it('is at the provider, too, when it has an address for it', async () => {
    await door.access.saml.put(provider.settings({ idp_slo_url: 'https://idp.example.com/slo' }));
    const cookie = await logIn();
    const answer = await door.ask('/console/session', { method: 'DELETE', cookie });
    expect(answer.status).toBe(200);
    const { log_out_url } = (await answer.json()) as { log_out_url: string };
    const { origin, pathname, searchParams } = new URL(log_out_url);
    expect([origin, pathname]).toEqual(['https://idp.example.com', '/slo']);
    const { inflateRawSync } = await import('node:zlib');
    const xml = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest') ?? '', 'base64')).toString();
    expect(xml).toMatch(/<saml:NameID [^>]*>name-of-amari<\/saml:NameID>/);
    expect(xml).toContain(`>_session-${answers}<`);
    expect(searchParams.get('Signature')).not.toBeNull();
    expect((await door.ask('/console/session', { cookie })).status).toBe(401);
    expect(await door.documents.list('access-saml-sessions', '', 10)).toEqual([]);
  });

  it('is here alone without such an address, and for local users', async () => {
    const cookie = await logIn();
    expect((await door.ask('/console/session', { method: 'DELETE', cookie })).status).toBe(204);
    const local = await door.logIn('ann', [VIEWERS]);
    await door.access.saml.put(provider.settings({ idp_slo_url: 'https://idp.example.com/slo' }));
    expect((await door.ask('/console/session', { method: 'DELETE', cookie: local })).status).toBe(204);
  });

  it.each(['GET', 'POST'])('leads back to the console (%s)', async (method) => {
    const cookie = await logIn();
    const answer = await door.ask('/saml/v1/slo?SAMLRequest=x', {
      method,
      cookie,
      headers: { Origin: 'https://idp.example.com' },
    });
    expect(outcomeOf(answer)).toEqual([303, HOME]);
    expect((await door.ask('/console/session', { cookie })).status).toBe(200);
  });

  it('is that of the session before, when the browser logs in anew', async () => {
    const former = await logIn();
    await begin('', former);
    expect((await door.ask('/console/session', { cookie: former })).status).toBe(401);
  });
});

describe('the ways to log in', () => {
  const ways = async () => (await door.ask('/console/log-ins')).json();

  it('have the name of the provider, and nothing else of it', async () => {
    expect(await ways()).toEqual({ saml: { display_name: 'Corporate sign-on' } });
    await door.access.saml.delete();
    expect(await ways()).toEqual({ saml: null });
  });

  it('are absent without a provider', async () => {
    await door.access.saml.delete();
    for (const path of ['/saml/v1/login', '/saml/v1/meta']) expect((await door.ask(path)).status).toBe(404);
    expect((await post('SAMLResponse=AAAA', '')).status).toBe(404);
  });

  it('have public metadata', async () => {
    const answer = await door.ask('/saml/v1/meta', { headers: { 'X-Understudy-Console': '' } });
    expect(answer.headers.get('Content-Type')).toBe('application/samlmetadata+xml');
    expect(await answer.text()).toContain(`entityID="${CONSOLE_ORIGIN}/saml/v1/meta"`);
  });
});
