import type { FactsText } from '../../fleet/catalogs/catalog-service.ts';
import { parseJson } from '../../puppet/serialization/json.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { Value } from '../../puppet/types/values/values.ts';
import { badRequestError, internalServerError } from './answers.ts';

/** Characters of invalid facts quoted in an error. */
const SHOWN = 60;

/**
 * Reads the facts of a catalog request, which are URL-encoded once more than the form itself.
 * Refuses text that is not encoded. `parse` refuses text that is not JSON, facts without values,
 * and facts of another node.
 */
export function readPostedFacts(encoded: string, certname: string): FactsText {
  const text = decode(encoded);
  return { parse: () => factValues(text, certname) };
}

/** The values in `{"name": …, "values": {…}}`. */
export function factValues(text: string, certname: string): PuppetHash {
  const facts = parse(text);
  if (!(facts instanceof PuppetHash)) throw badRequestError('The facts are not a JSON object');
  const name = facts.get('name');
  if (name !== certname) throw wrongNode(certname, name);
  const values = facts.get('values');
  if (!(values instanceof PuppetHash)) throw badRequestError("The 'values' of the facts are not a JSON object");
  return values;
}

function decode(encoded: string): string {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    throw badRequestError('The facts are not URL-encoded UTF-8');
  }
}

function parse(text: string) {
  try {
    return parseJson(text);
  } catch {
    throw internalServerError(cannotIntern(text));
  }
}

/** Puppet's message for text that is not JSON. */
export function cannotIntern(text: string): string {
  return `Could not intern from json: unexpected token at '${findUnexpectedPart(text)}'`;
}

/** Whether `JSON.parse` accepts the text. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

// Ruby's parser quotes the rest from the invalid token on.
function findUnexpectedPart(text: string): string {
  try {
    JSON.parse(text);
  } catch (error) {
    const position = /at position (\d+)/.exec(String(error))?.[1];
    return text.slice(Number(position ?? 0)).slice(0, SHOWN);
  }
  return text.slice(0, SHOWN);
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
