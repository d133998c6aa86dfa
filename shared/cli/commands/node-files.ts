import { readFileSync } from 'node:fs';
import type { ExportedResource } from '../../puppet/catalog/exported.ts';
import { parseJson, printJson } from '../../puppet/serialization/json.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import { RichValue, type Value } from '../../puppet/types/values/values.ts';

/** An argument of a command, or a file that it names, cannot be used. */
export class CommandError extends Error {}

/**
 * Reads facts from a file: a hash of facts, or the output of `puppet facts` or a facts cache, with
 * the facts in `values`.
 */
export function readFacts(path: string): PuppetHash {
  const found = readHash(path, 'facts');
  const values = found.get('values');
  return sanitizeFacts(values instanceof PuppetHash && found.has('name') ? values : found);
}

/** A value that no fact can have, and where it is: `os.release`. */
interface StrangeValue {
  readonly path: string;
  readonly kind: string;
}

/**
 * Reads facts as `puppet facts show` prints them, in JSON or YAML, or in the forms of `readFacts`.
 * Errors name the file and the place in it.
 */
export async function readPrintedFacts(path: string): Promise<PuppetHash> {
  const { parseYaml, YamlLoadError } = await import('../../puppet/serialization/yaml.ts');
  const parse = (text: string) => (/^\s*[{[]/.test(text) ? parseJson(text) : (parseYaml(text, { file: path }) ?? null));
  let found: Value;
  try {
    found = readJson(path, 'facts', parse);
  } catch (error) {
    if (error instanceof YamlLoadError) throw new CommandError(`cannot parse the facts in ${error.message}`);
    throw error;
  }
  if (!(found instanceof PuppetHash)) throw new CommandError(`the facts in ${path} must be a hash`);
  const values = found.get('values');
  const facts = values instanceof PuppetHash && found.has('name') ? values : found;
  const strange = findStrangeValue(facts, []);
  if (strange === null) return sanitizeFacts(facts);
  throw new CommandError(
    `the facts in ${path}: ${strange.path} is ${strange.kind}; facts are texts, numbers, booleans, lists and hashes`,
  );
}

/** The first value that is no data, or key that is no text. */
function findStrangeValue(value: Value, path: readonly string[]): StrangeValue | null {
  if (Array.isArray(value)) return firstOf(value.map((item, index) => [item, [...path, `${index}`]] as const));
  if (value instanceof PuppetHash) {
    const key = [...value.keys()].find((one) => typeof one !== 'string');
    if (key !== undefined) return { path: [...path, String(key)].join('.'), kind: 'named by no text' };
    return firstOf([...value].map(([name, item]) => [item, [...path, String(name)]] as const));
  }
  if (typeof value === 'number' && !Number.isFinite(value)) return { path: path.join('.'), kind: 'no finite number' };
  return value instanceof RichValue ? { path: path.join('.'), kind: `a ${value.valueKind}` } : null;
}

function firstOf(items: readonly (readonly [Value, readonly string[]])[]): StrangeValue | null {
  for (const [item, path] of items) {
    const found = findStrangeValue(item, path);
    if (found !== null) return found;
  }
  return null;
}

/** Puppet: a fact without a value becomes an empty string, lib/puppet/node/facts.rb (sanitize). */
function sanitizeFacts(facts: PuppetHash): PuppetHash {
  return PuppetHash.of([...facts].map(([name, value]) => [name, sanitizeValue(value)] as const));
}

function sanitizeValue(value: Value): Value {
  if (Array.isArray(value)) return value.map(sanitizeValue);
  return value instanceof PuppetHash ? sanitizeFacts(value) : (value ?? '');
}

/** Reads `$trusted` from a file. */
export function readTrusted(path: string): PuppetHash {
  return readHash(path, 'trusted facts');
}

/**
 * Reads exported resources from a file: a list of resources as in a catalog, each with the
 * `certname` of the node that exports it.
 */
export function readExports(path: string): readonly ExportedResource[] {
  const list: unknown = readJson(path, 'exports', (text) => JSON.parse(text));
  if (!Array.isArray(list)) throw new CommandError(`the exports in ${path} must be a list of resources`);
  return list.map((item: unknown, index) => readResource(item, `resource ${index + 1} in ${path}`));
}

/** Reads a JSON object from a file. `what` names its content in errors. */
export function readJsonFile(path: string, what: string): Readonly<Record<string, unknown>> {
  const found: unknown = readJson(path, what, (text) => JSON.parse(text));
  if (typeof found === 'object' && found !== null && !Array.isArray(found)) return { ...found };
  throw new CommandError(`the ${what} in ${path} must be a JSON object`);
}

/** Reads YAML or JSON data from a file. The parser is loaded on demand. */
export async function readYamlFile(path: string, what: string): Promise<unknown> {
  const { parseYaml, YamlLoadError } = await import('../../puppet/serialization/yaml.ts');
  try {
    const value = readJson(path, what, (text) => parseYaml(text, { file: path }));
    return value === undefined ? null : JSON.parse(printJson(value));
  } catch (error) {
    if (error instanceof YamlLoadError) throw new CommandError(error.message);
    throw error;
  }
}

function readResource(item: unknown, label: string): ExportedResource {
  if (typeof item !== 'object' || item === null) throw new CommandError(`${label} is not a resource`);
  const { certname, type, title, tags, parameters } = item as Readonly<Record<string, unknown>>;
  for (const [name, value] of Object.entries({ certname, type, title })) {
    if (typeof value !== 'string') throw new CommandError(`${label} has no ${name}`);
  }
  return {
    certname: String(certname),
    type: String(type),
    title: String(title),
    tags: Array.isArray(tags) ? tags.map(String) : [],
    parameters: typeof parameters === 'object' && parameters !== null ? { ...parameters } : {},
  };
}

function readHash(path: string, what: string): PuppetHash {
  const value: Value = readJson(path, what, parseJson);
  if (value instanceof PuppetHash) return value;
  throw new CommandError(`the ${what} in ${path} must be a JSON object`);
}

function readJson<T>(path: string, what: string, parse: (text: string) => T): T {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new CommandError(`cannot read the ${what}: ${error instanceof Error ? error.message : String(error)}`);
  }
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new CommandError(`cannot parse the ${what} in ${path}: ${error.message}`);
  }
}
