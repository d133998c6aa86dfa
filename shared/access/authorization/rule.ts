import { quotePattern } from '../../util/literal-pattern.ts';
import { extensionOid, getExtensionName } from '../ca/oids.ts';
import { ALTERNATIVE_NAME_KINDS, type SubjectAlternativeName } from '../ca/trusted-extensions.ts';
import { NO_TRUSTED_NAMES, type TrustedNames } from '../ca/trusted-oid-mapping.ts';
import {
  type AccessRule,
  alternativeNamesEntry,
  certnameEntry,
  compileExpression,
  extensionsEntry,
  largestBackreference,
  type WantedExtension,
} from './access-entry.ts';
import { InvalidAuthorization, Place, type RuleSection } from './place.ts';

/** A rule in the format of `auth.conf`. */
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
  readonly deny: readonly AccessRule[];
  readonly allow: readonly AccessRule[];
}

const METHODS = new Set(['get', 'post', 'put', 'delete', 'head', 'any']);
const OID = /^\d+(\.\d+)+$/;
const RULE_KEYS = ['name', 'sort-order', 'match-request', 'allow-unauthenticated', 'allow', 'deny'];
const MATCH_KEYS = ['path', 'type', 'method', 'query-params'];

/**
 * Reads and checks a rule like trapperkeeper-authorization (authorization_core.clj). `names` are
 * the operator's names of certificate extensions. Rules about roles (`rbac`) are rejected, because
 * nothing here knows a client's roles. Throws InvalidAuthorization.
 */
export function readRule(
  data: unknown,
  place: Place = new Place('standard rules'),
  names: TrustedNames = NO_TRUSTED_NAMES,
): Rule {
  const rule = place.readSection(data, RULE_KEYS);
  const { name } = rule;
  if (typeof name !== 'string' || name === '') throw place.fail("it has no 'name' that is a string");
  const sortOrder = rule['sort-order'];
  if (typeof sortOrder !== 'number' || !Number.isInteger(sortOrder) || sortOrder < 1 || sortOrder > 999) {
    throw place.atKey('sort-order').fail('it should be a number from 1 to 999');
  }
  const matchPlace = place.atKey('match-request');
  const match = matchPlace.readSection(rule['match-request'], MATCH_KEYS);
  const path = readPath(match, matchPlace);
  const groups = (new RegExp(`${path.source}|`).exec('')?.length ?? 1) - 1;
  const entries = (key: 'allow' | 'deny') => readEntries(rule[key], groups, place.atKey(key), names);
  return {
    name,
    sortOrder,
    path,
    methods: readMethods(match.method, matchPlace.atKey('method')),
    queryParameters: readQueryParameters(match['query-params'], matchPlace.atKey('query-params')),
    allowUnauthenticated: readOpen(rule, place),
    deny: entries('deny'),
    allow: entries('allow'),
  };
}

function readPath({ path, type }: RuleSection, place: Place): RegExp {
  if (typeof path !== 'string') throw place.atKey('path').fail('it should be a string');
  if (type !== 'path' && type !== 'regex') throw place.atKey('type').fail("it should be either 'path' or 'regex'");
  if (type === 'path') return new RegExp(`^${quotePattern(path)}`);
  return withPlace(place.atKey('path'), () => compileExpression(path));
}

function readOpen(rule: RuleSection, place: Place): boolean {
  const open = rule['allow-unauthenticated'] ?? false;
  if (typeof open !== 'boolean') throw place.atKey('allow-unauthenticated').fail('it should be true or false');
  const hasEntries = rule.allow !== undefined || rule.deny !== undefined;
  if (open && hasEntries) throw place.fail("it cannot have 'allow' or 'deny' with 'allow-unauthenticated'");
  if (!open && !hasEntries) throw place.fail("it must contain either a 'deny' or 'allow' rule");
  return open;
}

function readEntries(value: unknown, groups: number, place: Place, names: TrustedNames): readonly AccessRule[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return [readEntry(value, groups, place, names)];
  return value.map((one, index) => readEntry(one, groups, place.atItem(index), names));
}

function readEntry(value: unknown, groups: number, place: Place, names: TrustedNames): AccessRule {
  if (typeof value === 'string') return readCertname(value, groups, place);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw place.fail("it should be a string, or a map with 'certname' or 'extensions'");
  }
  const { certname, extensions, ...more } = place.readSection(value);
  const [other] = Object.keys(more);
  if (other !== undefined || (certname === undefined) === (extensions === undefined)) {
    const shown = other === undefined ? '' : `, not '${other}'`;
    throw place.fail(`it must contain exactly one of 'certname' or 'extensions'${shown}`);
  }
  if (certname === undefined) return readExtensions(extensions, place.atKey('extensions'), names);
  if (typeof certname !== 'string') throw place.atKey('certname').fail('it should be a string');
  return readCertname(certname, groups, place.atKey('certname'));
}

function readCertname(pattern: string, groups: number, place: Place): AccessRule {
  if (largestBackreference(pattern) > groups) {
    throw place.fail(`'${pattern}' refers to a capture group in the path that doesn't exist`);
  }
  return withPlace(place, () => certnameEntry(pattern));
}

function readExtensions(value: unknown, place: Place, names: TrustedNames): AccessRule {
  const { 'subject-alt-name': alternative, ...others } = place.readSection(value);
  const wanted = Object.entries(others).map(
    ([key, values]): WantedExtension => ({
      keys: extensionKeys(key, place.atKey(key), names),
      values: place.atKey(key).readTexts(values),
    }),
  );
  if (wanted.length === 0 && alternative === undefined) throw place.fail('it names no extension');
  const entries = [extensionsEntry(wanted)];
  if (alternative !== undefined) entries.push(readAlternativeNames(alternative, place.atKey('subject-alt-name')));
  return (identity, captures) => entries.every((entry) => entry(identity, captures));
}

/**
 * All names of an extension under which an identity may have it: OID, Puppet's name, the operator's
 * name.
 */
// Differs from Puppet: an unknown extension name is rejected. There, a rule that denies by an
// unknown name denies nobody.
function extensionKeys(key: string, place: Place, names: TrustedNames): readonly string[] {
  if (OID.test(key)) return [key, getExtensionName(key)];
  if (extensionOid(key) !== key) return [key, extensionOid(key)];
  const found = [...names].filter(([, short]) => short === key).map(([oid]) => oid);
  if (found.length > 0) return found;
  throw place.fail('neither Puppet nor the trusted OID mapping knows a certificate extension of this name');
}

function readAlternativeNames(value: unknown, place: Place): AccessRule {
  const given = Object.entries(place.readSection(value));
  const wanted = given.flatMap(([key, names]): readonly SubjectAlternativeName[] => {
    const kind = ALTERNATIVE_NAME_KINDS.find((one) => one === key);
    if (kind === undefined) throw place.atKey(key).fail(`it should be one of ${ALTERNATIVE_NAME_KINDS.join(', ')}`);
    return place
      .atKey(key)
      .readTexts(names)
      .map((name) => ({ kind, name }));
  });
  return alternativeNamesEntry(wanted);
}

function readMethods(value: unknown, place: Place): ReadonlySet<string> | null {
  if (value === undefined) return null;
  const methods = place.readTexts(value).map((method) => method.toLowerCase());
  const bad = methods.find((method) => !METHODS.has(method));
  if (bad !== undefined) {
    throw place.fail(`'${bad}' is not one of the methods 'delete', 'get', 'head', 'post', 'put'`);
  }
  return methods.includes('any') ? null : new Set(methods);
}

function readQueryParameters(value: unknown, place: Place): Rule['queryParameters'] {
  if (value === undefined) return [];
  return Object.entries(place.readSection(value)).map(
    ([name, one]) => [name, new Set(place.atKey(name).readTexts(one))] as const,
  );
}

/** Runs `read` and adds the position to its errors. */
function withPlace<T>(place: Place, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidAuthorization) throw place.fail(error.message);
    throw error;
  }
}
