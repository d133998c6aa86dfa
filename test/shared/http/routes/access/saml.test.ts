/** The connection to an identity provider, over the API. */
import { createPublicKey, createVerify, generateKeyPairSync } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeSamlKey } from '../../../../../shared/access/saml/saml-key.ts';
import { SamlLogIns } from '../../../../../shared/access/saml/saml-log-ins.ts';
import { type AccessDoor, openAccessDoor } from '../../../../helpers/access-door.ts';
import { openAccessWorld } from '../../../../helpers/access-world.ts';
import { CONSOLE, IdentityProvider } from '../../../../helpers/saml/identity-provider.ts';
import { PLAIN_VAULT } from '../../../../helpers/saml/plain-vault.ts';

const SAML = '/rbac-api/v1/saml';
let provider: IdentityProvider;
let door: AccessDoor;
let token: string;

beforeAll(async () => {
  provider = await IdentityProvider.open();
});
beforeEach(async () => {
  door = openAccessDoor(openAccessWorld({ vault: PLAIN_VAULT }));
  token = await door.tokenOf('admin');
});

const ask = (method: string, path = SAML, body?: unknown) =>
  door.ask(method, path, { token, ...(body === undefined ? {} : { body }) });

it('is absent at first', async () => {
  for (const [method, path] of [
    ['GET', SAML],
    ['DELETE', SAML],
    ['GET', `${SAML}/meta`],
  ] as const) {
    expect(await ask(method, path)).toMatchObject({ status: 404, body: { kind: 'not-found' } });
  }
});

it('is set, shown with the defaults, replaced and deleted', async () => {
  const settings = {
    ...provider.settings(),
    ...{ idp_slo_url: null, idp_slo_response_url: null, allow_idp_initiated: false },
    ...{ user_display_name_attr: 'displayName', user_email_attr: 'mail', group_lookup_attr: 'groups' },
    ...{ want_messages_signed: false, want_assertions_signed: true, want_assertions_encrypted: false },
    ...{ want_name_id_encrypted: false, name_id_encrypted: false, sign_metadata: false, want_xml_validation: true },
    ...{ allow_duplicated_attribute_name: true, signature_algorithm: 'rsa-sha256' },
    ...{ requested_auth_context: null, requested_authn_context_comparison: 'exact' },
  };
  expect(await ask('PUT', SAML, provider.settings())).toMatchObject({ status: 200, body: settings });
  expect(await ask('GET')).toMatchObject({ status: 200, body: settings });
  const other = { ...provider.settings({ display_name: 'Other' }), organizational_name: 'Example', support_name: 'x' };
  expect(await ask('PUT', SAML, other)).toMatchObject({ status: 200, body: { ...settings, display_name: 'Other' } });
  expect(await ask('DELETE')).toMatchObject({ status: 204 });
  expect(await ask('GET')).toMatchObject({ status: 404 });
  const activities = await door.ask('GET', '/activity-api/v1/events?service_id=rbac', { token });
  expect(JSON.stringify(activities.body)).toContain('identity provider changed');
});

it('takes a certificate as Base64 alone, as Puppet Enterprise shows it', async () => {
  const base64 = provider.key.certificate.replace(/-----[^-]+-----|\s/g, '');
  const answer = await ask('PUT', SAML, provider.settings({ idp_certificate: base64 }));
  expect(answer).toMatchObject({ status: 200, body: { idp_certificate: [provider.key.certificate] } });
});

const CERTIFICATES = "'idp_certificate' must be 1 to 5 certificates of RSA keys of at least 2048 bits";
const ADDRESS = 'must be an address that begins with https://';
const ORIGIN = "'console_url' must be the origin of the console, such as https://puppet.example.com:8443";

it.each<[Record<string, unknown>, string]>([
  [{ unknown: 1 }, 'Unknown keys: unknown'],
  [{ display_name: undefined }, "The key 'display_name' is missing"],
  [{ display_name: 'a\nb' }, "The key 'display_name' must be a text of 1 to 1000 characters"],
  [{ idp_entity_id: '' }, "The key 'idp_entity_id' must be a text of 1 to 1000 characters"],
  [{ idp_sso_url: 'javascript:alert(1)' }, `The key 'idp_sso_url' ${ADDRESS}`],
  [{ idp_sso_url: 'http://idp.example.com/' }, `The key 'idp_sso_url' ${ADDRESS}`],
  [{ idp_sso_url: 'https://a:b@idp.example.com/' }, `The key 'idp_sso_url' ${ADDRESS}`],
  [{ idp_slo_url: 'data:text/html,x' }, `The key 'idp_slo_url' ${ADDRESS}`],
  [{ idp_certificate: [] }, `The key ${CERTIFICATES}`],
  [{ idp_certificate: 'AAAA' }, `The key ${CERTIFICATES}`],
  [{ idp_certificate: [1] }, `The key ${CERTIFICATES}`],
  [{ console_url: undefined }, "The key 'console_url' is missing"],
  [{ console_url: 'http://console.test' }, `The key ${ORIGIN}`],
  [{ console_url: 'https://console.test/path' }, `The key ${ORIGIN}`],
  [
    { want_assertions_encrypted: true },
    "The key 'want_assertions_encrypted' must be false: assertions come by TLS, and are not encrypted in addition",
  ],
  [{ want_xml_validation: false }, "The key 'want_xml_validation' must be true: XML is always validated"],
  [{ want_assertions_signed: false }, "One of 'want_messages_signed' and 'want_assertions_signed' must be true"],
  [{ signature_algorithm: 'rsa-sha1' }, "The key 'signature_algorithm' must be one of rsa-sha256, rsa-sha512"],
])('refuses %j', async (change, msg) => {
  expect(await ask('PUT', SAML, provider.settings(change))).toMatchObject({ status: 400, body: { msg } });
});

it('refuses the certificate of a key of another kind', async () => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  expect(publicKey.asymmetricKeyType).toBe('ec');
  const { x509 } = await import('../../../../../shared/access/ca/x509.ts');
  const { generateServerKeys } = await import('../../../../../shared/access/ca/keys.ts');
  const keys = await generateServerKeys();
  const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' };
  const made = await x509.X509CertificateGenerator.createSelfSigned({ name: 'CN=idp', keys, signingAlgorithm });
  const settings = provider.settings({ idp_certificate: made.toString('pem') });
  expect(await ask('PUT', SAML, settings)).toMatchObject({ status: 400 });
});

describe('the rights', () => {
  it('to change it are those that users and groups of directories have', async () => {
    const helper = await door.tokenWith('directory_service:edit:*');
    const put = () => door.ask('PUT', SAML, { token: helper, body: provider.settings() });
    expect((await put()).status).toBe(200);
    await door.access.accounts.create({
      ...{
        login: 'operators',
        email: '',
        displayName: '',
        isGroup: true,
        isRemote: true,
        roleIds: [2],
        password: null,
      },
    });
    expect(await put()).toMatchObject({ status: 403, body: { kind: 'permission-denied' } });
    expect((await door.ask('DELETE', SAML, { token: helper })).status).toBe(403);
    expect((await door.ask('GET', SAML, { token: helper })).status).toBe(200);
  });
});

describe('our key', () => {
  it('stays when the settings change, is sealed, and has a certificate', async () => {
    await ask('PUT', SAML, provider.settings());
    const first = await ask('GET', `${SAML}/meta`);
    expect(first.body).toEqual({
      meta: `${CONSOLE}/saml/v1/meta`,
      acs: `${CONSOLE}/saml/v1/acs`,
      slo: `${CONSOLE}/saml/v1/slo`,
      cert: expect.stringMatching(/^-----BEGIN CERTIFICATE-----\n/),
    });
    await ask('PUT', SAML, provider.settings({ display_name: 'Other' }));
    expect((await ask('GET', `${SAML}/meta`)).body).toEqual(first.body);
    const stored = await door.documents.get('access-saml', 'provider');
    expect(String(stored?.key)).toMatch(/^sealed /);
    expect(JSON.stringify((await ask('GET')).body)).not.toContain('PRIVATE');
    await ask('DELETE');
    await ask('PUT', SAML, provider.settings());
    expect((await ask('GET', `${SAML}/meta`)).body).not.toEqual(first.body);
  });

  it.each([
    ['rsa-sha256', 'RSA-SHA256'],
    ['rsa-sha512', 'RSA-SHA512'],
  ])('signs requests, by %s', async (signature_algorithm, name) => {
    await ask('PUT', SAML, provider.settings({ signature_algorithm, requested_auth_context: 'urn:mfa' }));
    const { url, secret } = await new SamlLogIns(door.access.saml).beginLogIn('/console/nodes?a=b');
    const { origin, searchParams, search } = new URL(url);
    expect(origin).toBe('https://idp.example.com');
    expect(searchParams.get('RelayState')).toBe('/console/nodes?a=b');
    const xml = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest') ?? '', 'base64')).toString();
    expect(xml).toContain(`AssertionConsumerServiceURL="${CONSOLE}/saml/v1/acs"`);
    expect(xml).toContain(`>${CONSOLE}/saml/v1/meta</saml:Issuer>`);
    expect(xml).toContain('Comparison="exact"');
    expect(xml).toContain('>urn:mfa</saml:AuthnContextClassRef>');
    expect(xml).not.toContain(secret);
    const signed = search.slice(1, search.indexOf('&Signature='));
    const { cert } = await door.access.saml.describe();
    const verifier = createVerify(name).update(signed);
    expect(verifier.verify(createPublicKey(cert ?? ''), searchParams.get('Signature') ?? '', 'base64')).toBe(true);
  });

  it('is not there where nothing can seal it: then requests are not signed', async () => {
    const bare = openAccessWorld();
    await bare.access.saml.put(provider.settings());
    expect((await bare.access.saml.describe()).cert).toBeNull();
    const { url } = await new SamlLogIns(bare.access.saml).beginLogIn('/console/');
    expect(new URL(url).searchParams.has('Signature')).toBe(false);
    await expect(bare.access.saml.put(provider.settings({ sign_metadata: true }))).rejects.toThrow(
      "Here, nothing can seal a key: 'sign_metadata' must be false",
    );
  });

  it('is in the metadata, which may be signed', async () => {
    await ask('PUT', SAML, provider.settings());
    const plain = await new SamlLogIns(door.access.saml).createMetadata();
    const { cert } = await door.access.saml.describe();
    expect(plain).toContain(`entityID="${CONSOLE}/saml/v1/meta"`);
    expect(plain).toContain(`Location="${CONSOLE}/saml/v1/acs"`);
    expect(plain.replaceAll(/\s/g, '')).toContain((cert ?? '').replaceAll(/-----[^-]+-----|\s/g, ''));
    expect(plain).not.toContain('<SignatureValue');
    await ask('PUT', SAML, provider.settings({ sign_metadata: true }));
    expect(await new SamlLogIns(door.access.saml).createMetadata()).toContain('SignatureValue');
  });
});

it('makes keys of a length that others accept, with another serial number each', async () => {
  const [one, other] = await Promise.all([1, 2].map((byte) => makeSamlKey('host', Buffer.alloc(15, byte), 0)));
  expect(createPublicKey(one?.certificate ?? '').asymmetricKeyDetails?.modulusLength).toBe(2048);
  expect(one?.certificate).not.toBe(other?.certificate);
});
