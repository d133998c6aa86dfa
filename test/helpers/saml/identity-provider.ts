import { SignedXml } from 'xml-crypto';
import { makeSamlKey, type SamlKey } from '../../../shared/access/saml/saml-key.ts';
import { ALGORITHMS } from '../../../shared/access/saml/saml-names.ts';

const [SHA256] = ALGORITHMS.SignatureMethod;
const [DIGEST] = ALGORITHMS.DigestMethod;
const [ENVELOPED, EXCLUSIVE] = ALGORITHMS.Transform;
const MINUTE_MS = 60_000;

export const ENTITY_ID = 'https://idp.example.com/metadata';
export const CONSOLE = 'https://console.test:8443';

/** Whom an assertion is about, and what it is valid for. */
export interface AssertionParts {
  /** The id of the request; null: none. */
  readonly request: string | null;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly id?: string;
  readonly login?: string;
  readonly groups?: readonly string[];
  readonly issuer?: string;
  readonly audience?: string;
  readonly recipient?: string;
  readonly destination?: string;
  readonly notBefore?: number;
  readonly notOnOrAfter?: number;
  readonly sessionEnd?: number;
  readonly status?: string;
}

interface SignOptions {
  readonly of?: 'assertion' | 'response' | 'both' | 'none';
  readonly key?: SamlKey;
  readonly method?: string;
  readonly digest?: string;
  readonly canonical?: string;
  /** The prefix of the names of signatures; empty: none. */
  readonly prefix?: string;
  /** Changes the text of the response before anything is signed. */
  readonly before?: (xml: string) => string;
  /** Changes the text of the signed response. */
  readonly after?: (xml: string) => string;
}

let known: Promise<SamlKey> | null = null;
let stranger: Promise<SamlKey> | null = null;

/** An identity provider that signs what tests ask for. */
export class IdentityProvider {
  readonly key: SamlKey;

  private constructor(key: SamlKey) {
    this.key = key;
  }

  /** The same key in all files of a process: making it takes a part of a second. */
  static async open(): Promise<IdentityProvider> {
    known ??= makeSamlKey('idp.example.com', Buffer.alloc(8, 1), Date.UTC(2026, 0, 1));
    return new IdentityProvider(await known);
  }

  /** Another one, which nobody knows. */
  static async openStranger(): Promise<IdentityProvider> {
    stranger ??= makeSamlKey('idp.example.com', Buffer.alloc(8, 2), Date.UTC(2026, 0, 1));
    return new IdentityProvider(await stranger);
  }

  /** The settings of a connection to this provider. */
  settings(others: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
    return {
      display_name: 'Corporate sign-on',
      idp_entity_id: ENTITY_ID,
      idp_sso_url: 'https://idp.example.com/sso',
      idp_certificate: [this.key.certificate],
      user_lookup_attr: 'uid',
      console_url: CONSOLE,
      ...others,
    };
  }

  /** An answer as a browser brings it. */
  answer(parts: AssertionParts, options: SignOptions = {}): string {
    return Buffer.from(this.sign(parts, options)).toString('base64');
  }

  /** The XML of an answer. */
  sign(parts: AssertionParts, options: SignOptions = {}): string {
    const { of = 'assertion', before = (xml) => xml, after = (xml) => xml } = options;
    let xml = before(responseXml(parts));
    if (of === 'assertion' || of === 'both') xml = this.#signElement(xml, 'Assertion', options);
    if (of === 'response' || of === 'both') xml = this.#signElement(xml, 'Response', options);
    return after(xml);
  }

  #signElement(xml: string, name: string, options: SignOptions): string {
    const { key = this.key, method = SHA256, digest = DIGEST, canonical = EXCLUSIVE, prefix = 'ds' } = options;
    const xpath = name === 'Response' ? '/*' : "//*[local-name()='Assertion']";
    const signer = new SignedXml({
      privateKey: key.key,
      publicCert: key.certificate,
      signatureAlgorithm: method,
      canonicalizationAlgorithm: canonical,
    });
    signer.addReference({ xpath, digestAlgorithm: digest, transforms: [ENVELOPED, EXCLUSIVE] });
    const reference = `${xpath}/*[local-name()='Issuer']`;
    signer.computeSignature(xml, { location: { reference, action: 'after' }, prefix });
    return signer.getSignedXml();
  }
}

/** The XML of an answer that nobody signed. */
export function responseXml(parts: AssertionParts): string {
  const { request, now, issuer = ENTITY_ID, destination = `${CONSOLE}/saml/v1/acs` } = parts;
  const answers = request === null ? '' : ` InResponseTo="${request}"`;
  const status = parts.status ?? 'urn:oasis:names:tc:SAML:2.0:status:Success';
  const at = isoOf(now);
  return (
    `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"` +
    ` ID="_response-${parts.id ?? '1'}" Version="2.0" IssueInstant="${at}" Destination="${destination}"${answers}>` +
    `<saml:Issuer>${issuer}</saml:Issuer>` +
    `<samlp:Status><samlp:StatusCode Value="${status}"/></samlp:Status>` +
    `${assertionXml(parts)}</samlp:Response>`
  );
}

/** The XML of an assertion that nobody signed. */
export function assertionXml(parts: AssertionParts): string {
  const { request, now, id = '1', login = 'amari', groups = [], issuer = ENTITY_ID } = parts;
  const { audience = `${CONSOLE}/saml/v1/meta`, recipient = `${CONSOLE}/saml/v1/acs` } = parts;
  const [begin, end] = [isoOf(parts.notBefore ?? now - MINUTE_MS), isoOf(parts.notOnOrAfter ?? now + 5 * MINUTE_MS)];
  const answers = request === null ? '' : ` InResponseTo="${request}"`;
  const sessionEnd = parts.sessionEnd === undefined ? '' : ` SessionNotOnOrAfter="${isoOf(parts.sessionEnd)}"`;
  const attribute = (name: string, values: readonly string[]) =>
    `<saml:Attribute Name="${name}">${values.map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`).join('')}</saml:Attribute>`;
  return (
    `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_assertion-${id}" Version="2.0" IssueInstant="${isoOf(now)}">` +
    `<saml:Issuer>${issuer}</saml:Issuer>` +
    `<saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">name-of-${login}</saml:NameID>` +
    `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">` +
    `<saml:SubjectConfirmationData NotOnOrAfter="${end}" Recipient="${recipient}"${answers}/>` +
    `</saml:SubjectConfirmation></saml:Subject>` +
    `<saml:Conditions NotBefore="${begin}" NotOnOrAfter="${end}">` +
    `<saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>` +
    `<saml:AuthnStatement AuthnInstant="${isoOf(now)}" SessionIndex="_session-${id}"${sessionEnd}><saml:AuthnContext>` +
    `<saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef>` +
    `</saml:AuthnContext></saml:AuthnStatement>` +
    `<saml:AttributeStatement>${attribute('uid', [login])}${attribute('displayName', [`${login} Perez`])}` +
    `${attribute('mail', [`${login}@example.com`])}${attribute('groups', groups)}</saml:AttributeStatement></saml:Assertion>`
  );
}

function isoOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
