import type { LevelName } from '../../puppet/levels/language.ts';
import { parseHocon } from '../../puppet/serialization/hocon.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { Value } from '../../puppet/types/values/values.ts';
import { NO_TRUSTED_NAMES, type TrustedNames } from '../ca/trusted-oid-mapping.ts';
import type { Identity } from './access-entry.ts';
import { defaultRules } from './default-rules.ts';
import { Place } from './place.ts';
import { type Rule, readRule } from './rule.ts';

interface AuthorizedRequest {
  readonly method: string;
  /** Decoded, without query. */
  readonly path: string;
  readonly query: Pick<URLSearchParams, 'getAll'>;
  /** Null for a client without a certificate. */
  readonly identity: Identity | null;
}

export interface AuthorizationDecision {
  readonly allowed: boolean;
  /** The rule that decided; null when none matched, which denies the request. */
  readonly rule: string | null;
}

/**
 * Authorizes requests. The first matching rule decides; a request without a matching rule is
 * denied. Immutable.
 */
export class Authorization {
  readonly #rules: readonly Rule[];

  constructor(rules: readonly Rule[]) {
    this.#rules = [...rules].sort((a, b) => a.sortOrder - b.sortOrder || compare(a.name, b.name));
  }

  /** The default rules of a server of the level, and rules for Understudy's own endpoints. */
  static standard(level: LevelName): Authorization {
    return new Authorization(defaultRules(level).map((rule) => readRule(rule)));
  }

  /**
   * Reads an `auth.conf` (HOCON, so JSON too), which replaces the standard rules. `names` are the
   * operator's names of certificate extensions. Throws InvalidAuthorization; its message names
   * `file` and the position in it.
   */
  static read(text: string, file: string, names: TrustedNames = NO_TRUSTED_NAMES): Authorization {
    const top = new Place(file);
    const place = top.atKey('authorization');
    const section = place.readSection(top.readSection(parseRules(text, top)).authorization, SECTION_KEYS);
    if (section.version !== 1) throw place.atKey('version').fail('unsupported or missing; it must be 1');
    checkHeaderSetting(section, place.atKey('allow-header-cert-info'));
    const { rules } = section;
    if (!Array.isArray(rules)) throw place.atKey('rules').fail('it should be a list');
    const places = rules.map((rule, index) => place.atKey('rules').atItem(index, rule?.name));
    const read = rules.map((rule, index) => readRule(rule, places[index], names));
    const twice = read.findIndex(({ name }, index) => read.findIndex((other) => other.name === name) < index);
    if (twice >= 0) throw (places[twice] ?? place).fail('another rule has this name; rules must be uniquely named');
    return new Authorization(read);
  }

  judge(request: AuthorizedRequest): AuthorizationDecision {
    const method = request.method.toLowerCase();
    for (const rule of this.#rules) {
      const captures = matchRule(rule, method, request);
      if (captures !== null) return { allowed: isAllowed(rule, request.identity, captures), rule: rule.name };
    }
    return { allowed: false, rule: null };
  }
}

/** The captured groups of the path when the rule matches the request, else null. */
function matchRule(rule: Rule, method: string, { path, query }: AuthorizedRequest): readonly string[] | null {
  if (rule.methods !== null && !covers(rule.methods, method)) return null;
  const hasParameters = rule.queryParameters.every(([name, values]) =>
    query.getAll(name).some((one) => values.has(one)),
  );
  if (!hasParameters) return null;
  const found = rule.path.exec(path);
  return found === null ? null : found.slice(1);
}

/** A rule for GET also covers HEAD, which reveals less. */
// Differs from Puppet: it answers HEAD for the file bucket only, so its operators have no reason to
// name HEAD in rules.
function covers(methods: ReadonlySet<string>, method: string): boolean {
  return methods.has(method) || (method === 'head' && methods.has('get'));
}

function isAllowed(rule: Rule, identity: Identity | null, captures: readonly string[]): boolean {
  if (rule.allowUnauthenticated) return true;
  if (identity === null || rule.deny.some((entry) => entry(identity, captures))) return false;
  return rule.allow.some((entry) => entry(identity, captures));
}

const SECTION_KEYS = ['version', 'allow-header-cert-info', 'rules'];

// Differs from Puppet: the identity comes from the certificate only, never from a header that any
// client could send. No front door accepts plain HTTP.
function checkHeaderSetting(section: Readonly<Record<string, unknown>>, place: Place): void {
  const given = section['allow-header-cert-info'] ?? false;
  if (typeof given !== 'boolean') throw place.fail('it is not a boolean');
  if (given) throw place.fail('true is not supported: identity is taken from certificates only');
}

function parseRules(text: string, place: Place): unknown {
  try {
    return toPlain(parseHocon(text));
  } catch (error) {
    throw place.fail(`it cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function toPlain(value: Value): unknown {
  if (Array.isArray(value)) return value.map(toPlain);
  if (!(value instanceof PuppetHash)) return typeof value === 'bigint' ? Number(value) : value;
  return Object.fromEntries([...value].map(([key, member]) => [String(key), toPlain(member)]));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
