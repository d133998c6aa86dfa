import { AccessRefused } from '../../../access/accounts/access-control.ts';
import { describeAccountChange } from '../../../access/accounts/access-service.ts';
import type { Account } from '../../../access/accounts/account.ts';
import { checkLabel, readLifetime, USUAL_LIFETIME_MS } from '../../../access/accounts/token-lifetime.ts';
import type { AccessToken, TokenRequest } from '../../../access/accounts/token-store.ts';
import { formatIsoSeconds } from '../../../util/iso-seconds.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { FIELD, optionalField, readJsonFields } from '../../exchange/json-fields.ts';
import { requestToken } from '../../exchange/request-token.ts';
import { createRoute } from '../../route.ts';
import {
  type AccessApi,
  createAccessRoute,
  demandPermission,
  demandSubject,
  describeAuthenticationFailure,
  uuidIn,
} from './access-endpoint.ts';
import { describeAccount } from './describe-account.ts';
import { readResultPage, sortPage } from './result-page.ts';

const TOKEN_FIELDS = {
  lifetime: optionalField(FIELD.text),
  label: optionalField(FIELD.text),
  description: optionalField(FIELD.text),
  client: optionalField(FIELD.text),
};

interface TokenFields {
  readonly lifetime?: string | undefined;
  readonly label?: string | undefined;
  readonly description?: string | undefined;
  readonly client?: string | undefined;
}

const MOST_TEXT = 1000;

/** `POST v1/auth/token`: a token for a login and its password. */
export const postAuthToken = createRoute<AccessApi>('POST', '/rbac-api/v1/auth/token', async (context, api) => {
  const body = await readJsonFields(context, { login: FIELD.text, password: FIELD.text, ...TOKEN_FIELDS });
  const request = readRequest(body);
  const account = await api.access.logIn(body.login, body.password);
  return sendJson(context, { token: await createToken(api, account, request) });
});

/** `POST v1/tokens`: another token for the user of a token, which ends with that token. */
export const postTokens = createRoute<AccessApi>('POST', '/rbac-api/v1/tokens', async (context, api) => {
  const secret = requestToken(context);
  if (secret === null) {
    throw new AccessRefused('user-unauthenticated', 'Route requires authentication with a token');
  }
  const { id } = await demandSubject(context, api);
  const request = readRequest(await readJsonFields(context, TOKEN_FIELDS));
  const [account, parent] = [await api.access.accounts.getById(id), await api.access.tokens.find(secret)];
  return sendJson(context, { token: await createToken(api, account, { ...request, parent }) });
});

/** `POST v2/auth/token/authenticate`: whose token it is. */
export const postAuthenticate = createRoute<AccessApi>(
  'POST',
  '/rbac-api/v2/auth/token/authenticate',
  async (context, { access }) => {
    const { token: secret, ...others } = await readJsonFields(context, {
      token: FIELD.text,
      'update_last_activity?': optionalField(FIELD.flag),
    });
    const used = await access.useToken(secret, others['update_last_activity?'] ?? false);
    if (typeof used === 'string') {
      const kind = used === 'user-revoked' ? 'token-revoked' : used;
      throw new AccessRefused(kind, describeAuthenticationFailure(used));
    }
    const { account, token } = used;
    return sendJson(context, {
      ...describeAccount(account),
      user_id: account.id,
      creation: formatIsoSeconds(token.createdAt),
      expiration: formatIsoSeconds(token.expiresAt),
      last_active: formatIsoSeconds(await access.tokens.lastActive(token)),
      client: token.client,
      label: token.label,
      description: token.description,
      timeout: secondsOf(token.timeoutMs),
    });
  },
);

const ORDERS: Readonly<Record<string, keyof ListedToken>> = {
  creation_date: 'creation_date',
  expiration_date: 'expiration_date',
  last_active_date: 'last_active_date',
  client: 'client',
};

type ListedToken = Awaited<ReturnType<typeof listToken>>;

/** `GET v1/users/<id>/tokens`: the active tokens of a user, never the tokens themselves. */
export const getUserTokens = createAccessRoute('GET', '/rbac-api/v1/users/:id/tokens', async (context, api) => {
  const { access, subject } = api;
  const id = uuidIn(context, 'id');
  if (id !== subject.id) await demandPermission(access, subject, 'users', 'disable', id);
  const page = readResultPage(context, ORDERS, 'creation_date');
  const tokens = await access.tokens.listActive(await access.accounts.getById(id));
  const items = await Promise.all(tokens.map((token) => listToken(api, token)));
  return sendJson(context, sortPage(items, page));
});

async function listToken({ access }: AccessApi, token: AccessToken) {
  const { id, createdAt, expiresAt, client, description, timeoutMs, label } = token;
  return {
    id,
    creation_date: formatIsoSeconds(createdAt),
    expiration_date: formatIsoSeconds(expiresAt),
    last_active_date: formatIsoSeconds(await access.tokens.lastActive(token)),
    client,
    description,
    session_timeout: secondsOf(timeoutMs),
    label,
  };
}

function readRequest({ lifetime, label, description, client }: TokenFields) {
  if (label !== undefined) checkLabel(label);
  for (const [name, text] of Object.entries({ description, client })) {
    if ((text?.length ?? 0) <= MOST_TEXT) continue;
    throw new AccessRefused('schema-violation', `The key '${name}' has more than ${MOST_TEXT} characters`);
  }
  return {
    lifetimeMs: lifetime === undefined ? USUAL_LIFETIME_MS : readLifetime(lifetime),
    label: label ?? null,
    description: description ?? null,
    client: client ?? null,
  };
}

async function createToken({ access }: AccessApi, account: Account, request: TokenRequest) {
  const secret = await access.tokens.create(account, request);
  await access.noteChange(account, describeAccountChange(account, 'create', 'token created'));
  return secret;
}

function secondsOf(milliseconds: number | null): number | null {
  return milliseconds === null ? null : milliseconds / 1000;
}
