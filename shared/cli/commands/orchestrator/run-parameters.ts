import { ClientError } from '../../client/client-error.ts';
import { isJsonRecord, type JsonRecord, readTextOrFile } from '../../client/orchestrator-client.ts';

/** A parameter as `name=value` gives it. */
type ParameterPair = readonly [name: string, text: string];

const SCALAR = /^(true|false|-?\d+(\.\d+)?([eE][-+]?\d+)?)$/;

/** Reads the value of `--params`: a JSON object, or @FILE. Throws ClientError. */
export function readParameterObject(text: string): JsonRecord {
  try {
    const parsed: unknown = JSON.parse(readTextOrFile(text));
    if (isJsonRecord(parsed)) return parsed;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ClientError(`--params is not JSON: ${error.message}`, undefined);
  }
  throw new ClientError('--params must be a JSON object');
}

/** Throws ClientError when parameters are given in both ways. */
export function requireOneForm(pairs: readonly string[], object: string | undefined): void {
  if (object === undefined || pairs.length === 0) return;
  throw new ClientError('parameters are given as name=value or with --params, not both');
}

/** Splits `name=value`. Throws ClientError. */
export function splitPair(pair: string): ParameterPair {
  const [, name, text = ''] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
  if (name === undefined) throw new ClientError(`'${pair}' is not a parameter: name=value`);
  return [name, text];
}

/** The number or boolean that a text is; the text itself for any other, and for `007`. */
export function readScalar(text: string): unknown {
  return SCALAR.test(text) && !/^-?0\d/.test(text) ? JSON.parse(text) : text;
}

/** Reads parameters of unknown types: numbers and booleans are such. Throws ClientError. */
export function readUntypedParameters(pairs: readonly string[], object: string | undefined): JsonRecord {
  requireOneForm(pairs, object);
  if (object !== undefined) return readParameterObject(object);
  return Object.fromEntries(pairs.map(splitPair).map(([name, text]) => [name, readScalar(text)]));
}
