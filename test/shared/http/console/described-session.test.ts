/** docs/openapi.yaml describes the sessions of the console, and what its door refuses. */
import { beforeAll, describe, expect, it } from 'vitest';
import { CONSOLE_PASSWORD, type ConsoleDoor, openConsoleDoor } from '../../../helpers/console-door.ts';
import { OpenApi } from '../../../helpers/openapi.ts';
import { IdentityProvider } from '../../../helpers/saml/identity-provider.ts';

const VIEWERS = 3;
const PATH = '/console/session';
const api = new OpenApi();
const seen = new Set<string>();
let door: ConsoleDoor;
let cookie: string;

beforeAll(async () => {
  door = await openConsoleDoor();
  cookie = await door.logIn('ann', [VIEWERS]);
  await door.addUser('ben');
});

/** The status of an answer, and in what it is not as described. */
async function check(id: string, answer: Response): Promise<readonly [number, readonly string[]]> {
  const operation = api.operations.find((one) => one.id === id);
  const described = operation && api.responses(operation).get(String(answer.status));
  if (described === undefined) return [answer.status, ['is not described']];
  seen.add(`${id} ${answer.status}`);
  const missing = Object.keys(described.headers ?? {}).filter((name) => !answer.headers.has(name));
  return [
    answer.status,
    [...missing, ...api.faultsOfAnswer(described, answer.headers.get('Content-Type'), await answer.text())],
  ];
}

const foreign = { Origin: 'https://evil.test', 'Sec-Fetch-Site': 'cross-site' };
const logIn = (body: unknown, headers = {}) => door.ask(PATH, { method: 'POST', body, headers });

describe('the session', () => {
  it.each([
    [200, { login: 'ann', password: CONSOLE_PASSWORD }, {}],
    [400, { login: 'ann' }, {}],
    [401, { login: 'ann', password: 'wrong' }, {}],
    [403, { login: 'ben', password: CONSOLE_PASSWORD }, {}],
    [403, { login: 'ann', password: CONSOLE_PASSWORD }, foreign],
  ])('is opened as described: %i (%#)', async (status, body, headers) => {
    expect(await check('logIn', await logIn(body, headers))).toEqual([status, []]);
  });

  it('is refused to who guesses, as described', async () => {
    let answer = await logIn({ login: 'ben', password: 'wrong' });
    for (let tries = 0; answer.status === 401 && tries < 20; tries += 1) {
      answer = await logIn({ login: 'ben', password: 'wrong' });
    }
    expect(await check('logIn', answer)).toEqual([429, []]);
  });

  it('is read and ended as described', async () => {
    expect(await check('getSession', await door.ask(PATH, { cookie }))).toEqual([200, []]);
    expect(await check('getSession', await door.ask(PATH, { cookie: 'x' }))).toEqual([401, []]);
    expect(await check('getSession', await door.ask(PATH, { cookie, headers: foreign }))).toEqual([403, []]);
    const end = (headers = {}) => door.ask(PATH, { method: 'DELETE', cookie, headers });
    expect(await check('logOut', await end(foreign))).toEqual([403, []]);
    expect(await check('logOut', await end())).toEqual([204, []]);
    expect(await check('getSession', await door.ask(PATH, { cookie }))).toEqual([401, []]);
  });

  it('of an identity provider is offered, and ends with an address there, as described', async () => {
    expect(await check('getLogIns', await door.ask('/console/log-ins'))).toEqual([200, []]);
    const provider = await IdentityProvider.open();
    await door.access.saml.put(provider.settings({ idp_slo_url: 'https://idp.example.com/slo' }));
    expect(await check('getLogIns', await door.ask('/console/log-ins'))).toEqual([200, []]);
    const own = await door.logIn('eve', [VIEWERS]);
    const token = await door.access.tokens.find(own);
    await door.access.samlSessions.keep({ nameId: 'eve', format: null, index: null }, token?.digest ?? '', 1);
    expect(await check('logOut', await door.ask(PATH, { method: 'DELETE', cookie: own }))).toEqual([200, []]);
  });

  it('has no answer that is described and not given', () => {
    const described = api.operations
      .filter(({ path }) => path === PATH)
      .flatMap((operation) => [...api.responses(operation).keys()].map((status) => `${operation.id} ${status}`));
    expect(described.filter((one) => !seen.has(one))).toEqual([]);
  });
});
