import { extensionName } from '../../ca/oids.ts';
import {
  type AccessEntry,
  certnameEntry,
  compileExpression,
  extensionsEntry,
  InvalidAuthorization,
  largestBackreference,
} from './access-entry.ts';

/** A rule as `auth.conf` writes it. */
export interface RuleData {
  readonly name: string;
  readonly 'sort-order': number;
  readonly 'match-request': {
    readonly path: string;
    readonly type: 'path' | 'regex';
    readonly method?: string | readonly string[];
    readonly 'query-params'?: Readonly<Record<string, string | readonly string[]>>;
  };
  readonly 'allow-unauthenticated'?: boolean;
  readonly allow?: unknown;
  readonly deny?: unknown;
}

export interface Rule {
  readonly name: string;
  readonly sortOrder: number;
  readonly path: RegExp;
  /** Lower case; null for all. */
  readonly methods: ReadonlySet<string> | null;
  readonly queryParameters: readonly (readonly [string, ReadonlySet<string>])[];
  readonly allowUnauthenticated: boolean;
  readonly deny: readonly AccessEntry[];
  readonly allow: readonly AccessEntry[];
}

const METHODS = new Set(['get', 'post', 'put', 'delete', 'head', 'any']);

/**
 * Reads one rule and checks it as trapperkeeper-authorization does (authorization_core.clj). Throws InvalidAuthorization.
 * Rules over roles (`rbac`) and alternative names are refused: nothing here could tell who has them.
 */
export function readRule(data: unknown, extensionNames: (oid: string) => string = extensionName): Rule {
  const rule = record(data, 'An authorization rule should be specified as a map.');
  const named = typeof rule.name === 'string' ? rule.name : '';
  const fail = (message: string) => new InvalidAuthorization(`authorization rule '${named}': ${message}`);
  if (named === '') throw new InvalidAuthorization("An authorization rule does not contain a 'name' key.");
  const order = rule['sort-order'];
  if (typeof order !== 'number' || !Number.isInteger(order) || order < 1 || order > 999) {
    throw fail('the sort-order should be a number from 1 to 999');
  }
  const match = record(rule['match-request'], `authorization rule '${named}' has no 'match-request' section`);
  const { path, type } = match;
  if (typeof path !== 'string') throw fail("'match-request' has no 'path' that is a string");
  if (type !== 'path' && type !== 'regex') throw fail("the type should be set to either 'path' or 'regex'");
  const isOpen = rule['allow-unauthenticated'] === true;
  if (isOpen && (rule.allow !== undefined || rule.deny !== undefined)) {
    throw fail('it cannot have allow or deny if allow-unauthenticated');
  }
  if (!isOpen && rule.allow === undefined && rule.deny === undefined) {
    throw fail("it must contain either a 'deny' or 'allow' rule");
  }
  const compiled = type === 'regex' ? compileExpression(path) : new RegExp(`^${escaped(path)}`);
  const groups = new RegExp(`${compiled.source}|`).exec('')?.length ?? 1;
  const entries = (value: unknown) => list(value).map((one) => readEntry(one, groups - 1, extensionNames, fail));
  return {
    name: named,
    sortOrder: order,
    path: compiled,
    methods: readMethods(match.method, fail),
    queryParameters: readQueryParameters(match['query-params'], fail),
    allowUnauthenticated: isOpen,
    deny: entries(rule.deny),
    allow: entries(rule.allow),
  };
}

type Fail = (message: string) => InvalidAuthorization;

function readEntry(value: unknown, groups: number, extensionNames: (oid: string) => string, fail: Fail): AccessEntry {
  const entry = typeof value === 'string' ? { certname: value } : value;
  const { certname, extensions, ...more } = record(entry, fail('an entry should be a string or a map').message);
  const [other] = Object.keys(more);
  if (other !== undefined || (certname === undefined) === (extensions === undefined)) {
    throw fail(`an entry must contain exactly one of 'certname' or 'extensions'${other ? `, not '${other}'` : ''}`);
  }
  if (certname !== undefined) {
    if (typeof certname !== 'string') throw fail('certname should be a string');
    if (largestBackreference(certname) > groups) {
      throw fail(`'${certname}' refers to a capture group in the path that doesn't exist`);
    }
    return certnameEntry(certname);
  }
  const wanted = record(extensions, fail('extensions should be a map').message);
  if ('subject-alt-name' in wanted) throw fail('entries of subject-alt-name are not supported');
  return extensionsEntry(
    Object.fromEntries(Object.entries(wanted).map(([name, one]) => [name, texts(one, name, fail)])),
    extensionNames,
  );
}

function readMethods(value: unknown, fail: Fail): ReadonlySet<string> | null {
  if (value === undefined) return null;
  const methods = texts(value, 'method', fail).map((method) => method.toLowerCase());
  const bad = methods.find((method) => !METHODS.has(method));
  if (bad !== undefined) throw fail(`'${bad}' is not one of the methods 'delete', 'get', 'head', 'post', 'put'`);
  return methods.includes('any') ? null : new Set(methods);
}

function readQueryParameters(value: unknown, fail: Fail): Rule['queryParameters'] {
  if (value === undefined) return [];
  const given = record(value, fail('query-params must be a map').message);
  return Object.entries(given).map(([name, one]) => [name, new Set(texts(one, name, fail))] as const);
}

function record(value: unknown, message: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new InvalidAuthorization(message);
  return { ...value };
}

function list(value: unknown): readonly unknown[] {
  return value === undefined ? [] : [value].flat();
}

function texts(value: unknown, name: string, fail: Fail): readonly string[] {
  const all = list(value);
  if (all.every((one) => typeof one === 'string')) return all;
  throw fail(`'${name}' should be a string or a list of strings`);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
