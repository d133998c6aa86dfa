/** Attackers send this in place of an answer of the identity provider. */
import { createHash, createSign } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SamlLogIns } from '../../../../shared/access/saml/saml-log-ins.ts';
import { verifyResponse } from '../../../../shared/access/saml/saml-messages.ts';
import { SamlRefused } from '../../../../shared/access/saml/saml-refused.ts';
import { type AccessWorld, openAccessWorld } from '../../../helpers/access-world.ts';
import { CONSOLE, IdentityProvider, type AssertionParts as Parts } from '../../../helpers/saml/identity-provider.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SHA1 = 'http://www.w3.org/2000/09/xmldsig#rsa-sha1';
const COMMENTS = 'http://www.w3.org/2001/10/xml-exc-c14n#WithComments';
const EVIL = 'evil';

let provider: IdentityProvider;
let stranger: IdentityProvider;
let world: AccessWorld;
let secret: string;
let parts: Parts;

beforeAll(async () => {
  provider = await IdentityProvider.open();
  stranger = await IdentityProvider.openStranger();
});

beforeEach(async () => {
  world = openAccessWorld();
  await world.access.saml.put(provider.settings());
  await begin();
});

async function begin(): Promise<void> {
  ({ secret } = await new SamlLogIns(world.access.saml).beginLogIn('/console/'));
  parts = { request: `_${createHash('sha256').update(secret).digest('hex')}`, now: world.clock.now(), id: 'a' };
}

/** The login that an answer gives, or why it is refused. */
async function outcomeOf(answer: string, given: string | null = secret): Promise<string> {
  try {
    return (await new SamlLogIns(world.access.saml).accept(answer, given)).login;
  } catch (error) {
    if (error instanceof SamlRefused) return `${error.fault}: ${error.message}`;
    throw error;
  }
}

const base64 = (xml: string) => Buffer.from(xml).toString('base64');

it('accepts an answer once', async () => {
  const answer = provider.answer(parts);
  expect(await outcomeOf(answer)).toBe('amari');
  expect(await outcomeOf(answer)).toBe('expired: The assertion was used already');
  await begin();
  expect(await outcomeOf(provider.answer(parts))).toBe('expired: The assertion was used already');
});

it.each(['assertion', 'response', 'both'] as const)('accepts a signature of: %s', async (of) => {
  await world.access.saml.put(
    provider.settings({ want_messages_signed: of !== 'assertion', want_assertions_signed: of !== 'response' }),
  );
  expect(await outcomeOf(provider.answer(parts, { of }))).toBe('amari');
});

it('accepts SHA-512, and a second certificate', async () => {
  const settings = provider.settings({ idp_certificate: [stranger.key.certificate, provider.key.certificate] });
  await world.access.saml.put(settings);
  const method = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512';
  const digest = 'http://www.w3.org/2001/04/xmlenc#sha512';
  expect(await outcomeOf(provider.answer(parts, { method, digest }))).toBe('amari');
});

it('accepts signatures as others write them', async () => {
  expect(await outcomeOf(provider.answer(parts, { prefix: '', of: 'both' }))).toBe('amari');
  await begin();
  const spaced = provider.answer({ ...parts, id: 'b' }, { after: spaceOut });
  expect(await outcomeOf(spaced)).toBe('amari');
  await begin();
  const lines = provider.answer({ ...parts, id: 'c' }, { after: (xml) => spaceOut(xml).replaceAll('\n', '\r\n') });
  expect(await outcomeOf(lines)).toBe('amari');
  await begin();
  const before = (xml: string) => xml.replace('<saml:Assertion', '<saml:Assertion xmlns:x="urn:x"');
  expect(await outcomeOf(provider.answer({ ...parts, id: 'd' }, { before }))).toBe('amari');
});

/** Writes what is signed in lines, and signs it again. */
function spaceOut(xml: string): string {
  const info = /<ds:SignedInfo>.*<\/ds:SignedInfo>/.exec(xml)?.[0] ?? '';
  const spaced = info.replaceAll('><', '>\n  <');
  const canonical = spaced
    .replace('<ds:SignedInfo>', '<ds:SignedInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">')
    .replaceAll(/<(ds:\w+)([^>]*)\/>/g, '<$1$2></$1>');
  const value = createSign('RSA-SHA256').update(canonical).sign(provider.key.key, 'base64');
  return xml.replace(info, spaced).replace(/(<ds:SignatureValue>)[^<]*/, `$1${value}`);
}

it('has the library refuse what the first look accepts', async () => {
  const connection = await world.access.saml.open();
  const verify = (xml: string) => verifyResponse(connection, xml);
  await expect(verify(stranger.sign(parts))).rejects.toThrow('It does not count: Invalid signature');
  await expect(verify(provider.sign(parts, { of: 'none' }))).rejects.toThrow('It does not count: Invalid signature');
  expect(await verify(provider.sign(parts))).toContain('_assertion-a');
});

describe('signatures', () => {
  it.each<[string, string, () => string]>([
    ['none', 'It is not signed', () => provider.answer(parts, { of: 'none' })],
    ['of the message alone', 'Its assertion is not signed', () => provider.answer(parts, { of: 'response' })],
    ['of another key', 'Its signature does not count', () => stranger.answer(parts)],
    [
      'of another key, with its certificate in it',
      'Its signature does not count',
      () => provider.answer(parts, { key: { key: stranger.key.key, certificate: stranger.key.certificate } }),
    ],
    ['by SHA-1', `A signature has another SignatureMethod: ${SHA1}`, () => provider.answer(parts, { method: SHA1 })],
    [
      'of a digest by SHA-1',
      'A signature has another DigestMethod: http://www.w3.org/2000/09/xmldsig#sha1',
      () => provider.answer(parts, { digest: 'http://www.w3.org/2000/09/xmldsig#sha1' }),
    ],
    [
      'that keeps comments',
      `A signature has another CanonicalizationMethod: ${COMMENTS}`,
      () => provider.answer(parts, { canonical: COMMENTS }),
    ],
    [
      'with a key that both sides have',
      'A signature has another SignatureMethod: http://www.w3.org/2000/09/xmldsig#hmac-sha1',
      () =>
        provider.answer(parts, {
          after: (xml) =>
            xml.replace(
              /<ds:SignatureMethod Algorithm="[^"]*"/,
              '<ds:SignatureMethod Algorithm="http://www.w3.org/2000/09/xmldsig#hmac-sha1"',
            ),
        }),
    ],
    [
      'of a changed login',
      'It does not count: Invalid signature',
      () => provider.answer(parts, { after: (xml) => xml.replace('>amari<', `>${EVIL}<`) }),
    ],
    [
      'of a changed digest',
      'Its signature does not count',
      () => provider.answer(parts, { after: (xml) => xml.replace(/<ds:DigestValue>[^<]*/, '<ds:DigestValue>AAAA') }),
    ],
    [
      'that is empty',
      'Its signature does not count',
      () => provider.answer(parts, { after: (xml) => xml.replace(/<ds:SignatureValue>[^<]*/, '<ds:SignatureValue>') }),
    ],
    [
      'without a reference',
      'A signature is of another element',
      () => provider.answer(parts, { after: (xml) => xml.replace(/<ds:Reference .*<\/ds:Reference>/, '') }),
    ],
    [
      'of the whole document',
      'A signature is of another element',
      () => provider.answer(parts, { after: (xml) => xml.replace(/URI="#[^"]*"/, 'URI=""') }),
    ],
    [
      'with another transformation',
      'A signature has another Transform: http://www.w3.org/TR/1999/REC-xslt-19991116 http://www.w3.org/2001/10/xml-exc-c14n#',
      () =>
        provider.answer(parts, {
          after: (xml) =>
            xml.replace(
              'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
              'http://www.w3.org/TR/1999/REC-xslt-19991116',
            ),
        }),
    ],
  ])('do not count: %s', async (_, message, make) => {
    expect(await outcomeOf(make())).toBe(`refused: ${message}`);
  });
});

/** The parts of a signed answer, to put together otherwise. */
function takeApart() {
  const xml = provider.sign(parts);
  const assertion = /<saml:Assertion .*<\/saml:Assertion>/.exec(xml)?.[0] ?? '';
  const signature = /<ds:Signature .*<\/ds:Signature>/.exec(xml)?.[0] ?? '';
  const bare = assertion.replace(signature, '');
  const evil = (id: string) => bare.replace('ID="_assertion-a"', `ID="${id}"`).replaceAll('>amari', `>${EVIL}`);
  return { xml, assertion, signature, bare, evil };
}

/** The same for an answer whose message is signed. */
function takeResponseApart() {
  const xml = provider.sign(parts, { of: 'response' });
  const signature = /<ds:Signature .*<\/ds:Signature>/.exec(xml)?.[0] ?? '';
  const bare = xml.replace(signature, '');
  const evil = bare
    .replace('ID="_response-a"', 'ID="_evil"')
    .replace('ID="_assertion-a"', 'ID="_evil-a"')
    .replaceAll('>amari', `>${EVIL}`);
  const into = (outer: string, inner: string) =>
    outer.replace('</saml:Issuer><samlp:Status>', `</saml:Issuer>${inner}<samlp:Status>`);
  return { xml, signature, bare, evil, into };
}

const withObject = (signature: string, inner: string) =>
  signature.replace('</ds:Signature>', `<ds:Object>${inner}</ds:Object></ds:Signature>`);
const afterIssuer = (assertion: string, inner: string) => assertion.replace('</saml:Issuer>', `</saml:Issuer>${inner}`);

describe('wrapped signatures', () => {
  it.each<[string, string, () => string]>([
    [
      'XSW1: the signed response is in the signature of the evil one',
      'It has no assertion, or several',
      () => {
        const { signature, bare, evil, into } = takeResponseApart();
        return into(evil, withObject(signature, bare));
      },
    ],
    [
      'XSW2: the signed response is beside its signature',
      'It has no assertion, or several',
      () => {
        const { signature, bare, evil, into } = takeResponseApart();
        return into(evil, `${bare}${signature}`);
      },
    ],
    [
      'XSW3: an evil assertion is before the signed one',
      'It has no assertion, or several',
      () => {
        const { xml, assertion, evil } = takeApart();
        return xml.replace(assertion, `${evil('_evil')}${assertion}`);
      },
    ],
    [
      'XSW4: the signed assertion is in an evil one',
      'It has no assertion, or several',
      () => {
        const { xml, assertion, evil } = takeApart();
        return xml.replace(assertion, evil('_evil').replace('</saml:Assertion>', `${assertion}</saml:Assertion>`));
      },
    ],
    [
      'XSW5: the evil assertion has the signature, and the signed one follows',
      'It has no assertion, or several',
      () => {
        const { xml, assertion, signature, bare, evil } = takeApart();
        return xml.replace(assertion, `${afterIssuer(evil('_evil'), signature)}${bare}`);
      },
    ],
    [
      'XSW6: the signed assertion is in the signature of the evil one',
      'It has no assertion, or several',
      () => {
        const { xml, assertion, signature, bare, evil } = takeApart();
        return xml.replace(assertion, afterIssuer(evil('_evil'), withObject(signature, bare)));
      },
    ],
    [
      'XSW7: an evil assertion of the same id is in an extension',
      'It has no assertion, or several',
      () => {
        const { xml, assertion, evil } = takeApart();
        return xml.replace(assertion, `<samlp:Extensions>${evil('_assertion-a')}</samlp:Extensions>${assertion}`);
      },
    ],
    [
      'XSW8: the signed assertion is in an object of the signature',
      'It has no assertion, or several',
      () => {
        const { xml, assertion, signature, bare, evil } = takeApart();
        return xml.replace(assertion, afterIssuer(evil('_assertion-a'), withObject(signature, bare)));
      },
    ],
    [
      'the signed assertion is renamed and kept',
      'A signature is of another element',
      () => {
        const { xml, assertion, signature, bare, evil } = takeApart();
        const other = bare
          .replaceAll('saml:Assertion ', 'saml:Advice ')
          .replaceAll('</saml:Assertion>', '</saml:Advice>');
        return xml.replace(assertion, `${other}${afterIssuer(evil('_evil'), signature)}`);
      },
    ],
    [
      'another element has the id of the assertion',
      'Two of its elements have one id',
      () => takeApart().xml.replace('<samlp:Status>', '<samlp:Status ID="_assertion-a">'),
    ],
    [
      'another element has it, by another spelling',
      'Two of its elements have one id',
      () => takeApart().xml.replace('<samlp:Status>', '<samlp:Status xml:id="_assertion-a">'),
    ],
    [
      'the assertion is of another namespace',
      'Its assertion is encrypted, or is none',
      () =>
        takeApart()
          .xml.replaceAll('"urn:oasis:names:tc:SAML:2.0:assertion"', '"urn:evil"')
          .replace(/<saml:Issuer>.*?<\/saml:Issuer>/, ''),
    ],
    [
      'a second response is in the message',
      'It has a second response',
      () => takeApart().xml.replace('</samlp:Status>', '<samlp:Response/></samlp:Status>'),
    ],
    [
      'a signature is somewhere else',
      'A signature is not in its place',
      () => {
        const { xml, signature } = takeApart();
        return xml.replace('</samlp:Status>', `${signature}</samlp:Status>`);
      },
    ],
  ])('do not count: %s', async (_, message, make) => {
    const xml = make();
    expect(xml).not.toBe(provider.sign(parts));
    expect(await outcomeOf(base64(xml))).toBe(`refused: ${message}`);
  });

  it('do not count where the message alone must be signed', async () => {
    await world.access.saml.put(provider.settings({ want_messages_signed: true, want_assertions_signed: false }));
    const { xml, signature, bare, evil, into } = takeResponseApart();
    expect(await outcomeOf(base64(into(evil, withObject(signature, bare))))).toBe(
      'refused: It has no assertion, or several',
    );
    expect(await outcomeOf(base64(into(evil, signature)))).toBe('refused: A signature is of another element');
    expect(await outcomeOf(provider.answer(parts))).toBe('refused: Its message is not signed');
    expect(await outcomeOf(base64(xml))).toBe('amari');
  });
});

describe('texts', () => {
  it.each<[string, string, (xml: string) => string]>([
    ['a comment in the login', 'There is something else', (xml) => xml.replace('>amari<', '>ama<!-- -->ri<')],
    ['a comment in the name', 'There is something else', (xml) => xml.replace('>name-of-', '>name<!-- -->-of-')],
    ['CDATA', 'There is something else', (xml) => xml.replace('>amari<', '><![CDATA[amari]]><')],
    ['an instruction', 'There is something else', (xml) => xml.replace('>amari<', '>ama<?x?>ri<')],
    ['a DTD', 'There is something else', (xml) => `<!DOCTYPE x [<!ENTITY a "b">]>${xml}`],
    ['an entity of its own', 'It has an entity of its own', (xml) => xml.replace('>amari<', '>&a;mari<')],
    ['a file as entity', 'There is something else', (xml) => `<!DOCTYPE x SYSTEM "file:///etc/passwd">${xml}`],
    [
      'entities that grow',
      'There is something else',
      (xml) =>
        `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>${xml.replace('>amari<', '>&b;<')}`,
    ],
    ['a NUL', 'It has characters that XML does not have', (xml) => xml.replace('>amari<', '>ama\u0000ri<')],
    [
      'an end of a line for some readers',
      'It has characters that XML does not have',
      (xml) => xml.replace('>amari<', '>ama\u2028ri<'),
    ],
    [
      'an end of a line in an attribute',
      "The element 'saml:Attribute' does not end",
      (xml) => xml.replace('Name="uid"', 'Name="u\nid"'),
    ],
    ['a reference to NUL', 'It has a reference to no character', (xml) => xml.replace('>amari<', '>ama&#0;ri<')],
    ['another document', 'There is something after the root', (xml) => `${xml}${xml}`],
    ['a mark of the byte order', 'There is something else', (xml) => `\ufeff${xml}`],
    ['another encoding', 'There is something else', (xml) => `<?xml version="1.0" encoding="UTF-7"?>${xml}`],
    [
      'an attribute that is there twice',
      "The attribute 'Version' is there twice",
      (xml) => xml.replace(' Version="2.0"', ' Version="2.0" Version="2.0"'),
    ],
    [
      'a prefix that nobody declared',
      "The prefix of 'x:y' is not declared",
      (xml) => xml.replace('<samlp:Status>', '<samlp:Status><x:y/>'),
    ],
    [
      'depth',
      'It has more than 40 levels',
      (xml) => xml.replace('<samlp:Status>', `<samlp:Status>${'<a>'.repeat(50)}${'</a>'.repeat(50)}`),
    ],
    [
      'width',
      'It has more than 5000 elements',
      (xml) => xml.replace('<samlp:Status>', `<samlp:Status>${'<a/>'.repeat(5000)}`),
    ],
    ['half of it', "The element 'saml:Issuer' does not end", (xml) => xml.slice(0, xml.indexOf('<saml:Issuer>') + 12)],
  ])('are refused: %s', async (_, message, change) => {
    expect(await outcomeOf(provider.answer(parts, { after: change }))).toContain(
      `refused: It cannot be read: ${message}`,
    );
  });

  it.each([
    ['no Base64', '<Response/>', 'It is no Base64'],
    ['nothing', '', 'It has no bytes, or more than 196608'],
    ['a huge one', 'A'.repeat(300_000), 'It has no bytes, or more than 196608'],
    ['no UTF-8', '////', 'It is no UTF-8'],
  ])('are refused: %s', async (_, answer, message) => {
    expect(await outcomeOf(answer)).toBe(`refused: ${message}`);
  });
});

describe('assertions for somebody else, or another time', () => {
  it.each<[string, string, (given: Parts) => Parts]>([
    [
      'refused',
      'It does not count: SAML assertion audience mismatch. Expected: https://console.test:8443/saml/v1/meta Received: https://other.example.com',
      (given) => ({ ...given, audience: 'https://other.example.com' }),
    ],
    ['refused', 'The assertion is for another address', (given) => ({ ...given, recipient: `${CONSOLE}/other` })],
    ['refused', 'It is for another address', (given) => ({ ...given, destination: 'https://other.example.com/acs' })],
    ['refused', 'It has another issuer', (given) => ({ ...given, issuer: 'https://evil.example.com' })],
    ['expired', 'The assertion has expired', (given) => ({ ...given, notOnOrAfter: given.now - 2 * MINUTE_MS })],
    ['expired', 'The assertion does not count yet', (given) => ({ ...given, notBefore: given.now + 2 * MINUTE_MS })],
    ['expired', 'The session has ended', (given) => ({ ...given, sessionEnd: given.now - 1 })],
    ['expired', 'It does not answer the last request of this browser', (given) => ({ ...given, request: '_other' })],
    ['refused', 'It answers no request, which the settings do not allow', (given) => ({ ...given, request: null })],
    [
      'declined',
      'The provider answers "urn:oasis:names:tc:SAML:2.0:status:Responder"',
      (given) => ({ ...given, status: 'urn:oasis:names:tc:SAML:2.0:status:Responder' }),
    ],
  ])('are %s: %s', async (fault, message, change) => {
    expect(await outcomeOf(provider.answer(change(parts)))).toBe(`${fault}: ${message}`);
  });

  it.each<[string, string, (xml: string) => string]>([
    [
      'no audience',
      'It does not count: SAML assertion has no AudienceRestriction',
      (xml) => xml.replace(/<saml:AudienceRestriction>.*<\/saml:AudienceRestriction>/, ''),
    ],
    ['no conditions', 'It does not count', (xml) => xml.replace(/<saml:Conditions .*<\/saml:Conditions>/, '')],
    [
      'no end',
      "It does not count: Error parsing NotOnOrAfter: 'undefined'",
      (xml) => xml.replace(/(<saml:Conditions NotBefore="[^"]*") NotOnOrAfter="[^"]*"/, '$1'),
    ],
    [
      'no time',
      'The assertion has a time that is none',
      (xml) => xml.replace(/ NotBefore="[^"]*"/, ' NotBefore="soon"'),
    ],
    [
      'no subject',
      'The assertion has no Subject, or several',
      (xml) => xml.replace(/<saml:Subject>.*<\/saml:Subject>/, ''),
    ],
    [
      'no place',
      'The assertion does not say where it counts',
      (xml) => xml.replace(/<saml:SubjectConfirmationData [^>]*>/, ''),
    ],
    ['no bearer', 'The assertion is not for one bearer', (xml) => xml.replace('cm:bearer', 'cm:holder-of-key')],
    [
      'no log-in',
      'The assertion does not say that somebody logged in',
      (xml) => xml.replace(/<saml:AuthnStatement .*<\/saml:AuthnStatement>/, ''),
    ],
    ['no login', "The attribute 'uid' has no value, or several", (xml) => xml.replace('Name="uid"', 'Name="other"')],
    [
      'two logins',
      "The attribute 'uid' has no value, or several",
      (xml) => xml.replace('>amari<', '>amari</saml:AttributeValue><saml:AttributeValue>evil<'),
    ],
    ['a login of blanks', "The attribute 'uid' is no login", (xml) => xml.replace('>amari<', '>amari <')],
    [
      'a second login elsewhere',
      "The attribute 'uid' has no value, or several",
      (xml) =>
        xml.replace(
          '</saml:AttributeStatement>',
          '<saml:Attribute Name="uid"><saml:AttributeValue>evil</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>',
        ),
    ],
  ])('are refused although they are signed: %s', async (_, message, before) => {
    expect(await outcomeOf(provider.answer(parts, { before }))).toContain(`refused: ${message}`);
  });

  it('do not count in another browser, later, or without its secret', async () => {
    const answer = provider.answer(parts);
    expect(await outcomeOf(answer, null)).toBe('expired: It does not answer the last request of this browser');
    const { secret: other } = await new SamlLogIns(world.access.saml).beginLogIn('/console/');
    expect(await outcomeOf(answer, other)).toBe('expired: It does not answer the last request of this browser');
    expect(await outcomeOf(answer, 'x')).toBe('expired: It does not answer the last request of this browser');
    world.clock.time += 11 * MINUTE_MS;
    const late = provider.answer({ ...parts, now: world.clock.now() });
    expect(await outcomeOf(late)).toBe('expired: It does not answer the last request of this browser');
  });

  it('count without a request only where the settings allow it, and then not as an answer to one', async () => {
    await world.access.saml.put(provider.settings({ allow_idp_initiated: true }));
    expect(await outcomeOf(provider.answer({ ...parts, request: null }), null)).toBe('amari');
    const other = { ...parts, id: 'b' };
    expect(await outcomeOf(provider.answer(other), null)).toBe(
      'expired: It does not answer the last request of this browser',
    );
    expect(await outcomeOf(provider.answer(other))).toBe('amari');
  });

  it('are kept in mind as long as they count, over all servers', async () => {
    const answer = provider.answer({ ...parts, notOnOrAfter: parts.now + 48 * HOUR_MS });
    const servers = [world.access, world.open(), world.open()];
    const outcomes = await Promise.allSettled(servers.map(({ saml }) => new SamlLogIns(saml).accept(answer, secret)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const [used] = await world.documents.list('access-saml-assertions', '', 10);
    expect(used?.document).toEqual({ expiresAt: parts.now + HOUR_MS + MINUTE_MS });
  });
});
