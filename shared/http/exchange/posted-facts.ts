import type { FactsText } from '../../fleet/catalogs/catalog-service.ts';
import { TooManyValues } from '../../puppet/types/format/json-reader.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { Value } from '../../puppet/types/values/values.ts';
import type { FairQueue } from '../../util/fair-queue.ts';
import { BODIES, BodyRefused } from '../body/body-kinds.ts';
import { readBody } from '../body/read-body.ts';
import { certnameOf, type HttpContext } from '../endpoint.ts';
import type { HttpServices } from '../services.ts';
import { badRequestError, internalServerError, type Refusal, tooManyValuesError } from './answers.ts';
import { describeInvalidJson, describeUnexpected, isNotJson, parseJsonText } from './request-body.ts';

/** Facts of more characters are worked on one after another. */
const LARGE_FACTS = 512 * 1024;

/** Checks in when it is the client's turn; `size`: the characters of its facts. */
export async function checkInInTurn<T>(
  context: HttpContext,
  { checkIns, largeCheckIns }: Pick<HttpServices, 'checkIns' | 'largeCheckIns'>,
  size: number,
  checkIn: () => Promise<T>,
): Promise<T> {
  const queue = size > LARGE_FACTS ? largeCheckIns : checkIns;
  const leave = await queue.enter(certnameOf(context));
  try {
    return await checkIn();
  } finally {
    leave();
  }
}

/**
 * The facts of a catalog request. `parse` refuses text that is not JSON, facts without values, with
 * too many values, and facts of another node.
 */
export function postedFacts(text: string, certname: string, longTexts: FairQueue): FactsText {
  return { parse: () => factValues(text, certname, longTexts) };
}

/**
 * The values in `{"name": …, "values": {…}}`. A long text leaves the event loop free. `refuse`
 * makes the error for a text that is not JSON.
 */
export async function factValues(
  text: string,
  certname: string,
  longTexts: FairQueue,
  refuse: (message: string) => Refusal = internalServerError,
): Promise<PuppetHash> {
  const facts = await parse(text, certname, longTexts, refuse);
  if (!(facts instanceof PuppetHash)) throw badRequestError('The facts are not a JSON object');
  const name = facts.get('name');
  if (name !== certname) throw wrongNode(certname, name);
  const values = facts.get('values');
  if (!(values instanceof PuppetHash)) throw badRequestError("The 'values' of the facts are not a JSON object");
  return values;
}

/** Reads a body that is JSON with facts; a long one is checked. `refuse`: see `factValues`. */
export function readFactsBody(context: HttpContext, refuse: (message: string) => Refusal): Promise<string> {
  return readBody(context, BODIES.facts, 'readFacts', null).catch((error: unknown) => refuseFacts(error, refuse));
}

/** Refuses facts that were checked with their body, as `factValues` does. */
export function refuseFacts(error: unknown, refuse: (message: string) => Refusal = internalServerError): never {
  if (isNotJson(error)) throw refuse(describeUnexpected(error.json.rest));
  const isTooMany = error instanceof BodyRefused && error.fault === 'too-many-values';
  throw isTooMany ? tooManyValuesError('The facts', BODIES.facts.values) : error;
}

async function parse(
  text: string,
  certname: string,
  longTexts: FairQueue,
  refuse: (message: string) => Refusal,
): Promise<Value> {
  try {
    return await parseJsonText(text, longTexts, certname);
  } catch (error) {
    if (error instanceof TooManyValues) throw tooManyValuesError('The facts', BODIES.facts.values);
    throw refuse(describeInvalidJson(text, error));
  }
}

function wrongNode(certname: string, name: Value | undefined) {
  return internalServerError(
    `Catalog for ${JSON.stringify(certname)} was requested with fact definition for the wrong node (${printName(name)}).`,
  );
}

function printName(name: Value | undefined): string {
  if (typeof name === 'string') return JSON.stringify(name);
  if (name === null || name === undefined) return 'null';
  return typeof name === 'object' ? 'no name' : String(name);
}
