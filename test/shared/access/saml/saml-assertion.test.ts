/** A verified assertion must say all this, whatever the library that verified it says of it. */
import { expect, it } from 'vitest';
import { readAssertion } from '../../../../shared/access/saml/saml-assertion.ts';
import { assertionXml, CONSOLE, ENTITY_ID } from '../../../helpers/saml/identity-provider.ts';

const NOW = Date.UTC(2026, 10, 20, 22, 12, 50);
const MINUTE_MS = 60_000;
const PARTS = { request: '_request', now: NOW, id: 'a', groups: ['operators', 'web &amp; co'] };
const EXPECTED = {
  id: '_assertion-a',
  acs: `${CONSOLE}/saml/v1/acs`,
  audience: `${CONSOLE}/saml/v1/meta`,
  issuer: ENTITY_ID,
  request: { id: '_request', mayLack: false },
  now: NOW,
  allowsDuplicates: false,
  context: 'urn:oasis:names:tc:SAML:2.0:ac:classes:Password',
};

function outcomeOf(xml: string): string {
  try {
    return readAssertion(xml, EXPECTED).id;
  } catch (error) {
    return String(error);
  }
}

it('is read with its attributes, its session and its end', () => {
  const sessionEnd = NOW + 7 * MINUTE_MS;
  expect(readAssertion(assertionXml({ ...PARTS, sessionEnd }), EXPECTED)).toEqual({
    id: '_assertion-a',
    expiresAt: NOW + 6 * MINUTE_MS,
    sessionEndsAt: sessionEnd,
    session: {
      nameId: 'name-of-amari',
      format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
      index: '_session-a',
    },
    attributes: new Map([
      ['uid', ['amari']],
      ['displayName', ['amari Perez']],
      ['mail', ['amari@example.com']],
      ['groups', ['operators', 'web & co']],
    ]),
  });
});

it.each([
  ['has no end for days', { notOnOrAfter: NOW + 48 * 60 * MINUTE_MS }],
  ['ends later than another part', { notBefore: NOW - 60 * MINUTE_MS, notOnOrAfter: NOW + 61 * MINUTE_MS }],
])('counts for an hour after its issue when it %s', (_, period) => {
  const xml = assertionXml({ ...PARTS, ...period });
  expect(readAssertion(xml, EXPECTED).expiresAt).toBe(NOW + 61 * MINUTE_MS);
  const read = (now: number) => () => readAssertion(xml, { ...EXPECTED, now });
  expect(read(NOW + 61 * MINUTE_MS - 1)().expiresAt).toBe(NOW + 61 * MINUTE_MS);
  expect(read(NOW + 61 * MINUTE_MS)).toThrow('The assertion has expired');
});

it('counts whatever the class of the log-in is, unless one was asked for', () => {
  const xml = assertionXml(PARTS).replace('classes:Password', 'classes:X509');
  expect(readAssertion(xml, { ...EXPECTED, context: null }).id).toBe('_assertion-a');
});

const audience = /<saml:AudienceRestriction>.*<\/saml:AudienceRestriction>/;
const doubled = (xml: string, pattern: RegExp) => xml.replace(pattern, (found) => found + found);

it.each<[string, (xml: string) => string]>([
  ['What is signed is no assertion', (xml) => xml.replaceAll('saml:Assertion', 'saml:Advice')],
  ['Another assertion is signed', (xml) => xml.replace('_assertion-a', '_assertion-b')],
  ['The assertion has another version than 2.0', (xml) => xml.replace('Version="2.0"', 'Version="1.1"')],
  ['It has no issuer, or several', (xml) => xml.replace(/<saml:Issuer>.*<\/saml:Issuer>/, '')],
  ['It has no issuer, or several', (xml) => doubled(xml, /<saml:Issuer>.*<\/saml:Issuer>/)],
  ['It has another issuer', (xml) => xml.replace(ENTITY_ID, `${ENTITY_ID}/`)],
  ['Its Issuer is no text', (xml) => xml.replace(ENTITY_ID, `${ENTITY_ID}<a/>`)],
  ['The assertion is for no audience', (xml) => xml.replace(audience, '')],
  ['The assertion is for another audience', (xml) => xml.replace('/saml/v1/meta', '/saml/v1/other')],
  ['The assertion is for another audience', (xml) => doubled(xml, audience).replace('/saml/v1/meta', '/saml/v1/other')],
  ['The assertion has no Conditions, or several', (xml) => xml.replace(/<saml:Conditions.*<\/saml:Conditions>/, '')],
  ['The assertion has no Conditions, or several', (xml) => doubled(xml, /<saml:Conditions.*<\/saml:Conditions>/)],
  ['The assertion has no Subject, or several', (xml) => doubled(xml, /<saml:Subject>.*<\/saml:Subject>/)],
  [
    'The assertion is not for one bearer',
    (xml) => doubled(xml, /<saml:SubjectConfirmation .*<\/saml:SubjectConfirmation>/),
  ],
  ['The assertion is for another address', (xml) => xml.replace(/ Recipient="[^"]*"/, '')],
  ['It does not answer the last request of this browser', (xml) => xml.replace('"_request"', '"_other"')],
  ['It answers no request, which the settings do not allow', (xml) => xml.replace(' InResponseTo="_request"', '')],
  [
    'The assertion does not count yet',
    (xml) => xml.replace(/IssueInstant="[^"]*"/, 'IssueInstant="2026-11-20T22:14:50Z"'),
  ],
  ['The assertion has expired', (xml) => xml.replace(/IssueInstant="[^"]*"/, 'IssueInstant="2026-11-20T21:11:50Z"')],
  ['The assertion has a time that is none', (xml) => xml.replace(/ IssueInstant="[^"]*"/, '')],
  [
    'The assertion has a condition that nobody knows',
    (xml) => xml.replace('</saml:Conditions>', '<saml:Condition/></saml:Conditions>'),
  ],
  ['The log-in was of another class', (xml) => xml.replace('classes:Password', 'classes:X509')],
  ['The log-in was of another class', (xml) => xml.replace(/<saml:AuthnContext>.*<\/saml:AuthnContext>/, '')],
  ['The assertion has no end', (xml) => xml.replace(/ NotOnOrAfter="[^"]*"/, '')],
  ['The assertion has no end', (xml) => xml.replace(/(NotBefore="[^"]*") NotOnOrAfter="[^"]*"/, '$1')],
  ['The assertion has a time that is none', (xml) => xml.replace(/NotBefore="[^"]*"/, 'NotBefore="2026-11-20"')],
  [
    'The assertion has a time that is none',
    (xml) => xml.replace(/NotBefore="[^"]*"/, 'NotBefore="2026-13-20T00:00:00Z"'),
  ],
  ['The assertion has two attributes of one name', (xml) => xml.replace('Name="mail"', 'Name="uid"')],
  [
    'The assertion does not say that somebody logged in',
    (xml) => doubled(xml, /<saml:AuthnStatement.*<\/saml:AuthnStatement>/),
  ],
])('is refused: %s (%#)', (message, change) => {
  const xml = assertionXml(PARTS);
  expect(change(xml)).not.toBe(xml);
  expect(outcomeOf(xml)).toBe('_assertion-a');
  expect(outcomeOf(change(xml))).toBe(`SamlRefused: ${message}`);
});
