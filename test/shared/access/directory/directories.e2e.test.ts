import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../../../../shared/access/ca/authority.ts';
import type { KeyVault } from '../../../../shared/store/ports/secrets.ts';
import { type AccessDoor, openAccessDoor } from '../../../helpers/access-door.ts';
import { openAccessWorld } from '../../../helpers/access-world.ts';
import { ManualClock, MemoryDocuments } from '../../../helpers/memory-stores.ts';
import { BASE, hasSlapd, RealDirectory, SERVICE } from '../../../helpers/real-directory.ts';

const PASSWORD = 'käse (1)';
const user = (uid: string, name: string) => `dn: uid=${uid},ou=users,${BASE}
objectClass: inetOrgPerson
uid: ${uid}
cn: ${name}
sn: ${name}
mail: ${uid}@example.com
userPassword:: ${Buffer.from(PASSWORD).toString('base64')}
`;
const group = (cn: string, ...members: readonly string[]) => `dn: cn=${cn},ou=groups,${BASE}
objectClass: groupOfUniqueNames
cn: ${cn}
${members.map((member) => `uniqueMember: ${member},${BASE}`).join('\n')}
`;
const ENTRIES = [
  `dn: ${BASE}\nobjectClass: dcObject\nobjectClass: organization\ndc: example\no: Example\n`,
  `dn: ${SERVICE.login}\nobjectClass: organizationalRole\nobjectClass: simpleSecurityObject\ncn: service\nuserPassword: ${SERVICE.password}\n`,
  ...['users', 'groups'].map((ou) => `dn: ou=${ou},${BASE}\nobjectClass: organizationalUnit\nou: ${ou}\n`),
  ...[user('amari', 'Amari Perez'), user('jean', 'Jean Jackson'), user('admin', 'Not the administrator')],
  user('two', 'Two').replace('uid: two', 'uid: two\nuid: other'),
  user('second', 'Second').replace('uid: second', 'uid: second\nuid: two'),
  group('operators', 'uid=amari,ou=users', 'cn=inner,ou=groups'),
  // Groups that are in each other.
  group('inner', 'uid=jean,ou=users', 'cn=operators,ou=groups'),
].join('\n');

/** A seal for tests. */
const VAULT: KeyVault = {
  seal: async (secret) => `sealed ${Buffer.from(secret).toString('hex')}`,
  open: async (sealed) => Buffer.from(sealed.slice(7), 'hex').toString(),
};

describe.skipIf(!hasSlapd())('users of a directory (OpenLDAP)', () => {
  let directory: RealDirectory;
  let ca: string;
  let door: AccessDoor;
  let admin: string;
  let settings: Record<string, unknown>;

  beforeAll(async () => {
    const authority = await CertificateAuthority.open(new MemoryDocuments(), new ManualClock(Date.now()), {
      ...{ name: 'ca', autosign: false, keyType: 'ec' },
    });
    ca = authority.certificatePem;
    directory = await RealDirectory.start(ENTRIES, await authority.serverCredentials('localhost', ['localhost']));
  });
  afterAll(() => directory?.stop());

  beforeEach(async () => {
    door = openAccessDoor(openAccessWorld({ vault: VAULT }));
    admin = await door.tokenOf('admin');
    settings = {
      ...{ display_name: 'Example', hostname: 'localhost', port: directory.port, ssl: false, start_tls: true },
      ...{ certificates: ca, base_dn: BASE, user_rdn: 'ou=users', group_rdn: 'ou=groups', user_lookup_attr: 'uid' },
      ...{ login: SERVICE.login, search_nested_groups: true, connect_timeout: 5 },
    };
  });

  const ask = (method: string, path: string, body?: unknown, token: string | null = admin) =>
    door.ask(method, `/rbac-api${path}`, { token, ...(body === undefined ? {} : { body }) });
  const connect = (more: object = {}) =>
    door.access.directories.put({ ...settings, password: SERVICE.password, ...more }, 'own');
  const logIn = (login: string, password = PASSWORD) => ask('POST', '/v1/auth/token', { login, password }, null);

  it('log in with the roles of their groups, as long as these have them', async () => {
    await connect();
    await ask('POST', '/v1/command/groups/create', { login: 'Operators', role_ids: [2] });
    for (const login of ['amari', 'JEAN']) {
      const { status, body } = await logIn(login);
      expect([login, status]).toEqual([login, 200]);
      const { token } = body as { token: string };
      const { body: shown } = await ask('GET', '/v1/users/current', undefined, token);
      expect(shown).toMatchObject({
        ...{ login: login.toLowerCase(), email: `${login.toLowerCase()}@example.com` },
        ...{ is_remote: true, role_ids: [], inherited_role_ids: [2], group_ids: [expect.any(String)] },
      });
      const permitted = async () => (await ask('GET', '/v1/permitted/orchestrator/view', undefined, token)).body;
      expect(await permitted()).toEqual(['*']);
    }
    const [shown] = (await ask('GET', '/v1/groups')).body as { id: string; user_ids: string[]; display_name: string }[];
    expect(shown?.user_ids).toHaveLength(2);
    const amari = await door.access.accounts.findByLogin('amari');
    await ask('DELETE', `/v1/groups/${shown?.id}`);
    expect(await door.access.permissionsOf(amari ?? ({} as never))).toEqual([]);
    expect(JSON.stringify(door.documents)).not.toContain(PASSWORD);
  });

  it.each([
    ['a wrong password', 'amari', 'wrong'],
    ['an empty one', 'amari', ''],
    ['a login that two entries have', 'two', PASSWORD],
    ['a filter for a login', '*', PASSWORD],
    ['a filter in a login', 'amari)(uid=*', PASSWORD],
    ["a local user's login", 'admin', PASSWORD],
    ['the same in other letters', 'ADMIN', PASSWORD],
  ])('do not log in with %s', async (_, login, password) => {
    await connect();
    expect(await logIn(login, password)).toMatchObject({ status: 401, body: { kind: 'user-unauthenticated' } });
    expect((await door.access.accounts.list()).map((one) => one.login)).toEqual(['admin', 'api_user']);
  });

  it('are locked out as others, and have no password here', async () => {
    await connect();
    const { body } = await logIn('amari');
    const { token } = body as { token: string };
    const amari = await door.access.accounts.findByLogin('amari');
    const change = { current_password: PASSWORD, password: 'another one' };
    expect(await ask('PUT', '/v1/users/current/password', change, token)).toMatchObject({ status: 403 });
    expect(await ask('POST', `/v1/users/${amari?.id}/password/reset`)).toMatchObject({ status: 403 });
    await ask('POST', '/v1/command/users/revoke', { user_id: amari?.id });
    expect(await logIn('amari')).toMatchObject({ status: 401, body: { kind: 'user-revoked' } });
    for (let tries = 0; tries < 10; tries += 1) await logIn('jean', 'wrong');
    expect(await logIn('jean')).toMatchObject({ status: 429 });
  });

  it.each([
    ['a certificate of another CA', { certificates: null }, /self.signed|unable to (get|verify)/],
    ['a certificate of another name', { hostname: '127.0.0.1' }, /altnames|does not match/],
    ['a wrong password of the connection', { password: 'wrong' }, /credentials/i],
    ['nobody who listens', { port: 1 }, /ECONNREFUSED/],
  ])('cannot log in through %s, and are asked to come again', async (_, more, message) => {
    await connect(more);
    const answer = await logIn('amari');
    expect(answer).toMatchObject({ status: 503, body: { kind: 'directory-unavailable' } });
    expect((answer.body as { msg: string }).msg).toMatch(message);
    expect(await logIn('admin')).toMatchObject({ status: 401 });
  });

  it('are those of the directories that the API manages, whose passwords nobody sees', async () => {
    expect(await ask('POST', '/v1/command/ldap/create', settings)).toMatchObject({
      ...{ status: 400, body: { kind: 'schema-violation', msg: expect.stringContaining('an address of the server') } },
    });
    const id = await connect();
    const { body } = await ask('GET', '/v2/ldap');
    expect(body).toEqual([expect.objectContaining({ id, hostname: 'localhost', login: SERVICE.login })]);
    expect(JSON.stringify(body)).not.toContain('password');
    expect(await ask('GET', '/v1/ds')).toMatchObject({ status: 200, body: { id } });
    await door.access.directories.test({ ...(await door.access.directories.get(id)) }, 'own');
    // The password is not sent to a host that it was not given for.
    await door.access.directories.put(
      { ...settings, hostname: '127.0.0.1', ssl_hostname_validation: false },
      'own',
      id,
    );
    expect(await logIn('amari')).toMatchObject({ status: 503 });
    expect(await ask('POST', '/v1/command/ldap/delete', { id })).toMatchObject({ status: 204 });
    expect(await ask('GET', `/v2/ldap/${id}`)).toMatchObject({ status: 404 });
  });
});
