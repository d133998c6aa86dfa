import { SAML } from './saml-names.ts';
import { SamlRefused } from './saml-refused.ts';
import {
  demand,
  demandIssuers,
  demandRequest,
  type ExpectedRequest,
  isNamed,
  readXml,
  textOnly,
} from './saml-response.ts';
import { elementsIn, type XmlElement } from './strict-xml.ts';

/** The demands on an assertion, to count here and now. */
interface ExpectedAssertion {
  /** Its id in the answer that was inspected. */
  readonly id: string;
  readonly acs: string;
  /** Our own entity id. */
  readonly audience: string;
  readonly issuer: string;
  readonly request: ExpectedRequest;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly allowsDuplicates: boolean;
  /** The class of log-ins that was asked for, and no other counts; null: all count. */
  readonly context: string | null;
}

/** The content of a verified assertion. */
export interface Assertion {
  readonly id: string;
  /** Until then it could be shown again; milliseconds since 1970. */
  readonly expiresAt: number;
  /** The end of the session at the provider, in milliseconds since 1970; null: it has none. */
  readonly sessionEndsAt: number | null;
  /** The session at the provider, for a log-out there; null without a name. */
  readonly session: SamlSession | null;
  /** Values by the names of attributes. */
  readonly attributes: ReadonlyMap<string, readonly string[]>;
}

/** A session at the provider. */
export interface SamlSession {
  readonly nameId: string;
  readonly format: string | null;
  readonly index: string | null;
}

/** Clocks may differ by so much. */
const SKEW_MS = 60_000;
/** Longer after its issue, no assertion counts: so long at most it is kept in mind. */
const LONGEST_MS = 3600_000;
/** Conditions that change nothing here, as each assertion counts once, and the audience. */
const CONDITIONS = new Set(['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction']);
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

/**
 * Reads a verified assertion: it is of this provider, for us, for this request, and for now. Throws
 * SamlRefused.
 */
export function readAssertion(xml: string, expected: ExpectedAssertion): Assertion {
  const assertion = readXml(xml);
  demand(isNamed(assertion, SAML.assertion, 'Assertion'), 'What is signed is no assertion');
  demand(assertion.attributes.get('ID') === expected.id, 'Another assertion is signed');
  demand(assertion.attributes.get('Version') === '2.0', 'The assertion has another version than 2.0');
  demandIssuers(elementsIn(assertion, SAML.assertion, 'Issuer'), expected.issuer, false);
  const subject = theOnly(assertion, 'Subject');
  const issuedAt = readInstant(assertion.attributes.get('IssueInstant') ?? '');
  const { session, sessionEndsAt } = readSession(assertion, subject, expected);
  const ends = [
    checkPeriod(confirmSubject(subject, expected), expected.now),
    checkPeriod(checkConditions(theOnly(assertion, 'Conditions'), expected), expected.now),
    checkEnd(issuedAt + LONGEST_MS, expected.now),
  ];
  if (issuedAt > expected.now + SKEW_MS) throw new SamlRefused('expired', 'The assertion does not count yet');
  return {
    id: expected.id,
    // All must hold, and the clock here may be late.
    expiresAt: Math.min(...ends) + SKEW_MS,
    sessionEndsAt,
    session,
    attributes: readAttributes(assertion, expected.allowsDuplicates),
  };
}

/** The data of the bearer, with the period in which he counts as the subject. */
function confirmSubject(subject: XmlElement, { acs, request }: ExpectedAssertion): XmlElement {
  const confirmations = elementsIn(subject, SAML.assertion, 'SubjectConfirmation').filter(
    ({ attributes }) => attributes.get('Method') === SAML.bearer,
  );
  demand(confirmations.length === 1, 'The assertion is not for one bearer');
  const data = confirmations.flatMap((one) => elementsIn(one, SAML.assertion, 'SubjectConfirmationData'))[0];
  demand(data !== undefined, 'The assertion does not say where it counts');
  demand(data.attributes.get('Recipient') === acs, 'The assertion is for another address');
  demandRequest(data.attributes.get('InResponseTo') ?? null, request);
  return data;
}

/** The conditions, which are all known and hold, with the period in which the assertion counts. */
function checkConditions(conditions: XmlElement, { audience }: ExpectedAssertion): XmlElement {
  const isKnown = ({ name, namespace }: XmlElement) => namespace === SAML.assertion && CONDITIONS.has(name);
  demand(conditions.children.every(isKnown), 'The assertion has a condition that nobody knows');
  const restrictions = elementsIn(conditions, SAML.assertion, 'AudienceRestriction');
  demand(restrictions.length > 0, 'The assertion is for no audience');
  for (const restriction of restrictions) {
    const audiences = elementsIn(restriction, SAML.assertion, 'Audience').map(textOnly);
    demand(audiences.includes(audience), 'The assertion is for another audience');
  }
  return conditions;
}

/** The end of a period that has begun and must have an end. */
function checkPeriod({ attributes }: XmlElement, now: number): number {
  const begin = attributes.get('NotBefore');
  if (begin !== undefined && readInstant(begin) > now + SKEW_MS) {
    throw new SamlRefused('expired', 'The assertion does not count yet');
  }
  const end = attributes.get('NotOnOrAfter');
  demand(end !== undefined, 'The assertion has no end');
  return checkEnd(readInstant(end), now);
}

function checkEnd(endsAt: number, now: number): number {
  if (endsAt <= now - SKEW_MS) throw new SamlRefused('expired', 'The assertion has expired');
  return endsAt;
}

function readInstant(text: string): number {
  const at = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  demand(Number.isFinite(at), 'The assertion has a time that is none');
  return at;
}

function readSession(assertion: XmlElement, subject: XmlElement, { now, context }: ExpectedAssertion) {
  const [statement, ...others] = elementsIn(assertion, SAML.assertion, 'AuthnStatement');
  demand(statement !== undefined && others.length === 0, 'The assertion does not say that somebody logged in');
  const classes = elementsIn(statement, SAML.assertion, 'AuthnContext').flatMap((one) =>
    elementsIn(one, SAML.assertion, 'AuthnContextClassRef').map(textOnly),
  );
  // A browser can take the class out of a request that is not signed.
  demand(context === null || (classes.length === 1 && classes[0] === context), 'The log-in was of another class');
  const end = statement.attributes.get('SessionNotOnOrAfter');
  const sessionEndsAt = end === undefined ? null : readInstant(end);
  if (sessionEndsAt !== null && sessionEndsAt <= now) throw new SamlRefused('expired', 'The session has ended');
  const [name] = elementsIn(subject, SAML.assertion, 'NameID');
  const index = statement.attributes.get('SessionIndex') ?? null;
  const format = name?.attributes.get('Format') ?? null;
  return { sessionEndsAt, session: name === undefined ? null : { nameId: textOnly(name), format, index } };
}

function readAttributes(assertion: XmlElement, allowsDuplicates: boolean): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const statement of elementsIn(assertion, SAML.assertion, 'AttributeStatement')) {
    for (const attribute of elementsIn(statement, SAML.assertion, 'Attribute')) {
      const name = attribute.attributes.get('Name') ?? '';
      demand(allowsDuplicates || !found.has(name), 'The assertion has two attributes of one name');
      // A value that is no text, such as a name of another form, counts for nothing.
      const values = elementsIn(attribute, SAML.assertion, 'AttributeValue').filter((one) => one.children.length === 0);
      found.set(name, [...(found.get(name) ?? []), ...values.map(({ text }) => text)]);
    }
  }
  return found;
}

function theOnly(assertion: XmlElement, name: string): XmlElement {
  const [found, ...others] = elementsIn(assertion, SAML.assertion, name);
  demand(found !== undefined && others.length === 0, `The assertion has no ${name}, or several`);
  return found;
}
