import { quotePattern } from '../../util/literal-pattern.ts';
import { extensionName, extensionOid } from '../ca/oids.ts';
import { ALTERNATIVE_NAME_KINDS, type AlternativeName } from '../ca/trusted-extensions.ts';
import { NO_TRUSTED_NAMES, type TrustedNames } from '../ca/trusted-oid-mapping.ts';
import {
  type AccessEntry,
  alternativeNamesEntry,
  certnameEntry,
  compileExpression,
  extensionsEntry,
  largestBackreference,
  type WantedExtension,
} from './access-entry.ts';
import { InvalidAuthorization, Place, type Section } from './place.ts';

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
const OID = /^\d+(\.\d+)+$/;
const RULE_KEYS = ['name', 'sort-order', 'match-request', 'allow-unauthenticated', 'allow', 'deny'];
const MATCH_KEYS = ['path', 'type', 'method', 'query-params'];

/**
 * Reads one rule and checks it as trapperkeeper-authorization does (authorization_core.clj); `names` are the operator's for certificate
 * extensions. Throws InvalidAuthorization. Rules over roles (`rbac`) are refused: nothing here could tell who has them.
 */
export function readRule(
  data: unknown,
  place: Place = new Place('standard rules'),
  names: TrustedNames = NO_TRUSTED_NAMES,
): Rule {
  const rule = place.section(data, RULE_KEYS);
  const { name } = rule;
  if (typeof name !== 'string' || name === '') throw place.fail("it has no 'name' that is a string");
  const sortOrder = rule['sort-order'];
  if (typeof sortOrder !== 'number' || !Number.isInteger(sortOrder) || sortOrder < 1 || sortOrder > 999) {
    throw place.key('sort-order').fail('it should be a number from 1 to 999');
  }
  const matchPlace = place.key('match-request');
  const match = matchPlace.section(rule['match-request'], MATCH_KEYS);
  const path = readPath(match, matchPlace);
  const groups = (new RegExp(`${path.source}|`).exec('')?.length ?? 1) - 1;
  const entries = (key: 'allow' | 'deny') => readEntries(rule[key], groups, place.key(key), names);
  return {
    name,
    sortOrder,
    path,
    methods: readMethods(match.method, matchPlace.key('method')),
    queryParameters: readQueryParameters(match['query-params'], matchPlace.key('query-params')),
    allowUnauthenticated: readOpen(rule, place),
    deny: entries('deny'),
    allow: entries('allow'),
  };
}

function readPath({ path, type }: Section, place: Place): RegExp {
  if (typeof path !== 'string') throw place.key('path').fail('it should be a string');
  if (type !== 'path' && type !== 'regex') throw place.key('type').fail("it should be either 'path' or 'regex'");
  if (type === 'path') return new RegExp(`^${quotePattern(path)}`);
  return told(place.key('path'), () => compileExpression(path));
}

function readOpen(rule: Section, place: Place): boolean {
  const open = rule['allow-unauthenticated'] ?? false;
  if (typeof open !== 'boolean') throw place.key('allow-unauthenticated').fail('it should be true or false');
  const hasEntries = rule.allow !== undefined || rule.deny !== undefined;
  if (open && hasEntries) throw place.fail("it cannot have 'allow' or 'deny' with 'allow-unauthenticated'");
  if (!open && !hasEntries) throw place.fail("it must contain either a 'deny' or 'allow' rule");
  return open;
}

function readEntries(value: unknown, groups: number, place: Place, names: TrustedNames): readonly AccessEntry[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return [readEntry(value, groups, place, names)];
  return value.map((one, index) => readEntry(one, groups, place.item(index), names));
}

function readEntry(value: unknown, groups: number, place: Place, names: TrustedNames): AccessEntry {
  if (typeof value === 'string') return readCertname(value, groups, place);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw place.fail("it should be a string, or a map with 'certname' or 'extensions'");
  }
  const { certname, extensions, ...more } = place.section(value);
  const [other] = Object.keys(more);
  if (other !== undefined || (certname === undefined) === (extensions === undefined)) {
    const shown = other === undefined ? '' : `, not '${other}'`;
    throw place.fail(`it must contain exactly one of 'certname' or 'extensions'${shown}`);
  }
  if (certname === undefined) return readExtensions(extensions, place.key('extensions'), names);
  if (typeof certname !== 'string') throw place.key('certname').fail('it should be a string');
  return readCertname(certname, groups, place.key('certname'));
}

function readCertname(pattern: string, groups: number, place: Place): AccessEntry {
  if (largestBackreference(pattern) > groups) {
    throw place.fail(`'${pattern}' refers to a capture group in the path that doesn't exist`);
  }
  return told(place, () => certnameEntry(pattern));
}

function readExtensions(value: unknown, place: Place, names: TrustedNames): AccessEntry {
  const { 'subject-alt-name': alternative, ...others } = place.section(value);
  const wanted = Object.entries(others).map(
    ([key, values]): WantedExtension => ({
      keys: extensionKeys(key, place.key(key), names),
      values: place.key(key).texts(values),
    }),
  );
  if (wanted.length === 0 && alternative === undefined) throw place.fail('it names no extension');
  const entries = [extensionsEntry(wanted)];
  if (alternative !== undefined) entries.push(readAlternativeNames(alternative, place.key('subject-alt-name')));
  return (identity, captures) => entries.every((entry) => entry(identity, captures));
}

/** What an extension may be called where an identity has it: by number, Puppet's name, or the operator's. */
// Differs from Puppet: a name that nothing stands behind is refused; there a rule that denies by it denies nobody.
function extensionKeys(key: string, place: Place, names: TrustedNames): readonly string[] {
  if (OID.test(key)) return [key, extensionName(key)];
  if (extensionOid(key) !== key) return [key, extensionOid(key)];
  const found = [...names].filter(([, short]) => short === key).map(([oid]) => oid);
  if (found.length > 0) return found;
  throw place.fail('no certificate extension is called so, neither by Puppet nor by the trusted OID mapping');
}

function readAlternativeNames(value: unknown, place: Place): AccessEntry {
  const given = Object.entries(place.section(value));
  const wanted = given.flatMap(([key, names]): readonly AlternativeName[] => {
    const kind = ALTERNATIVE_NAME_KINDS.find((one) => one === key);
    if (kind === undefined) throw place.key(key).fail(`it should be one of ${ALTERNATIVE_NAME_KINDS.join(', ')}`);
    return place
      .key(key)
      .texts(names)
      .map((name) => ({ kind, name }));
  });
  return alternativeNamesEntry(wanted);
}

function readMethods(value: unknown, place: Place): ReadonlySet<string> | null {
  if (value === undefined) return null;
  const methods = place.texts(value).map((method) => method.toLowerCase());
  const bad = methods.find((method) => !METHODS.has(method));
  if (bad !== undefined) {
    throw place.fail(`'${bad}' is not one of the methods 'delete', 'get', 'head', 'post', 'put'`);
  }
  return methods.includes('any') ? null : new Set(methods);
}

function readQueryParameters(value: unknown, place: Place): Rule['queryParameters'] {
  if (value === undefined) return [];
  return Object.entries(place.section(value)).map(
    ([name, one]) => [name, new Set(place.key(name).texts(one))] as const,
  );
}

/** What `read` answers; its faults told with the place. */
function told<T>(place: Place, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidAuthorization) throw place.fail(error.message);
    throw error;
  }
}
