import { ALGORITHMS, SAML } from './saml-names.ts';
import { SamlRefused } from './saml-refused.ts';
import { descendantsOf, elementsIn, readStrictXml, type XmlElement, XmlRefused } from './strict-xml.ts';

/** The request that the answer must be to. */
export interface ExpectedRequest {
  /** The id of the request of this browser; null: it made none. */
  readonly id: string | null;
  /** Whether the answer may be to no request. */
  readonly mayLack: boolean;
}

/** The form that an answer of the provider must have before its signature is checked. */
interface ExpectedResponse {
  /** The address that it was sent to. */
  readonly acs: string;
  readonly issuer: string;
  readonly request: ExpectedRequest;
  readonly wantsSignedMessage: boolean;
  readonly wantsSignedAssertion: boolean;
}

/** An answer that has the form that it must have. */
interface InspectedResponse {
  /** The id of its assertion. */
  readonly id: string;
  /** Its signatures, one or two. */
  readonly signatures: readonly XmlElement[];
}

/** Names of attributes that signatures could refer to, of any namespace. */
const ID = /^(?:\{.*\})?id$/i;
/** In a signature, elements with the name of an algorithm have it. */
const WITH_ALGORITHM = Object.entries(ALGORITHMS);

/**
 * Checks the form of an answer, of which nothing is verified yet: it has one assertion, in its
 * place, and no element that could be taken for another one; each signature covers the element that
 * it is in, with an algorithm that counts. Throws SamlRefused.
 */
export function inspectResponse(xml: string, expected: ExpectedResponse): InspectedResponse {
  const response = readXml(xml);
  demand(isNamed(response, SAML.protocol, 'Response'), 'It is no response');
  demand(response.attributes.get('Version') === '2.0', 'It has another version than 2.0');
  const { acs, issuer, request } = expected;
  demand([undefined, acs].includes(response.attributes.get('Destination')), 'It is for another address');
  demandIssuers(elementsIn(response, SAML.assertion, 'Issuer'), issuer, true);
  demandRequest(response.attributes.get('InResponseTo') ?? null, request);
  demandSuccess(response);
  const all = [...descendantsOf(response)];
  const [assertion, ...others] = all.filter(({ name }) => name.endsWith('Assertion'));
  demand(assertion !== undefined && others.length === 0, 'It has no assertion, or several');
  demand(isNamed(assertion, SAML.assertion, 'Assertion'), 'Its assertion is encrypted, or is none');
  demand(response.children.includes(assertion), 'Its assertion is not in its place');
  demand(all.filter(({ name }) => name === 'Response').length === 1, 'It has a second response');
  demandUniqueIds(all);
  const signatures = checkSignatures(response, assertion, all, expected);
  return { id: idOf(assertion), signatures };
}

/** The XML of a document. Throws SamlRefused. */
export function readXml(xml: string): XmlElement {
  try {
    return readStrictXml(xml);
  } catch (error) {
    throw error instanceof XmlRefused ? new SamlRefused('refused', `It cannot be read: ${error.message}`) : error;
  }
}

export function demand(isRight: boolean, message: string): asserts isRight {
  if (!isRight) throw new SamlRefused('refused', message);
}

/** Demands that an answer to `answered` is one to this request. Throws SamlRefused. */
export function demandRequest(answered: string | null, { id, mayLack }: ExpectedRequest): void {
  if (answered === null) demand(mayLack, 'It answers no request, which the settings do not allow');
  else if (answered !== id) throw new SamlRefused('expired', 'It does not answer the last request of this browser');
}

/** Demands that these are one issuer, or none if it `mayLack`. */
export function demandIssuers(issuers: readonly XmlElement[], issuer: string, mayLack: boolean): void {
  demand(issuers.length === 1 || (mayLack && issuers.length === 0), 'It has no issuer, or several');
  for (const one of issuers) demand(textOnly(one) === issuer, 'It has another issuer');
}

/** The text of an element that has no children. */
export function textOnly(element: XmlElement): string {
  demand(element.children.length === 0, `Its ${element.name} is no text`);
  return element.text.trim();
}

export function isNamed(element: XmlElement, namespace: string, name: string): boolean {
  return element.namespace === namespace && element.name === name;
}

function demandSuccess(response: XmlElement): void {
  const [status, ...others] = elementsIn(response, SAML.protocol, 'Status');
  demand(status !== undefined && others.length === 0, 'It has no status');
  const code = elementsIn(status, SAML.protocol, 'StatusCode')[0]?.attributes.get('Value') ?? '';
  if (code === SAML.success) return;
  throw new SamlRefused('declined', `The provider answers ${JSON.stringify(code.slice(0, 100))}`);
}

function demandUniqueIds(all: readonly XmlElement[]): void {
  const ids = all.flatMap(({ attributes }) =>
    [...attributes].filter(([name]) => ID.test(name)).map(([, value]) => value),
  );
  demand(new Set(ids).size === ids.length, 'Two of its elements have one id');
}

function idOf(element: XmlElement): string {
  const id = element.attributes.get('ID') ?? '';
  demand(/^[\w.-]{1,200}$/.test(id), `Its ${element.name} has no id`);
  return id;
}

function checkSignatures(
  response: XmlElement,
  assertion: XmlElement,
  all: readonly XmlElement[],
  { wantsSignedMessage, wantsSignedAssertion }: ExpectedResponse,
): readonly XmlElement[] {
  const [ofMessage, ofAssertion] = [signatureOf(response), signatureOf(assertion)];
  const signatures = [ofMessage, ofAssertion].filter((one) => one !== null);
  const count = signatures.length;
  demand(all.filter(({ name }) => name === 'Signature').length === count, 'A signature is not in its place');
  demand(count > 0, 'It is not signed');
  demand(ofMessage !== null || !wantsSignedMessage, 'Its message is not signed');
  demand(ofAssertion !== null || !wantsSignedAssertion, 'Its assertion is not signed');
  return signatures;
}

/** The signature of an element, which covers all of it; null without one. */
function signatureOf(element: XmlElement): XmlElement | null {
  const [signature, ...others] = elementsIn(element, SAML.signature, 'Signature');
  if (signature === undefined) return null;
  demand(others.length === 0, `Its ${element.name} has several signatures`);
  const parts = signature.children.map(({ name }) => name).filter((name) => name !== 'KeyInfo');
  demand(parts.join() === 'SignedInfo,SignatureValue', 'A signature has another form');
  const all = [...descendantsOf(signature)];
  const [reference, second] = all.filter(({ name }) => name === 'Reference');
  demand(reference?.attributes.get('URI') === `#${idOf(element)}`, 'A signature is of another element');
  demand(second === undefined, 'A signature is of several elements');
  for (const [name, algorithms] of WITH_ALGORITHM) {
    const named = all.filter((one) => one.name === name).map((one) => one.attributes.get('Algorithm') ?? '');
    const isKnown = named.every((one) => algorithms.some((known) => known === one));
    demand(isKnown && named.length > 0, `A signature has another ${name}: ${named.join(' ').slice(0, 200)}`);
    demand(named.length === 1 || name === 'Transform', `A signature has several of ${name}`);
  }
  return signature;
}
