import { type Author, readAuthor } from '../../access/accounts/authors.ts';
import { LANGUAGE_LEVELS, parseLanguageLevel } from '../../config/language-level.ts';
import { MOST_STAGE_CANARIES, STAGE_ENDS, STAGE_MINUTES } from '../../config/stage-limits.ts';
import type { Strictness } from '../../config/strictness.ts';
import type { Clock } from '../../store/ports/clock.ts';
import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';
import {
  DEFAULT_NOTIFY_POLICY,
  type NotifyPolicy,
  parseCanary,
  parseNotifyRate,
  parseNotifyWindow,
  printNotifyRate,
  printNotifyWindow,
} from './notify-policy.ts';
import { DEFAULT_STAGE_POLICY, parseStageCanaries, parseStageMinutes, type StagePolicy } from './stage-policy.ts';
import { parseStrictLevel, type StrictnessPolicy, strictnessOf } from './strictness-policy.ts';

/**
 * The answer to a catalog request of a node whose catalog is out of date, and what follows when its
 * catalog changes.
 */
export interface FreshnessPolicy extends NotifyPolicy, StrictnessPolicy, StagePolicy {
  /**
   * `wait`: the request is held until a catalog is compiled. `stale`: the last good catalog is sent
   * at once; without one, the request is held. `retry`: `503` with `Retry-After` is sent at once.
   */
  readonly freshness: 'wait' | 'stale' | 'retry';
  /** The longest hold; a front door may have a shorter limit. */
  readonly holdSeconds: number;
  /**
   * The answer when the hold ends without a catalog. `stale`: the last good catalog, or `503` with
   * `Retry-After` when there is none. `retry`: always `503` with `Retry-After`.
   */
  readonly afterHold: 'stale' | 'retry';
  /** The range of `Retry-After`; values are uniformly distributed. */
  readonly retryAfterSeconds: readonly [least: number, most: number];
  /**
   * What a change of exports does to the nodes of an environment that collect them. `follow`: they
   * are compiled. `ring`: nothing; the verification of the ring finds the change.
   */
  readonly exports: 'follow' | 'ring';
  /**
   * Whether a deploy compiles one node of each role before its code is in force, and is refused
   * when one fails that compiled before.
   */
  readonly deployCheck: 'on' | 'off';
  /**
   * Whose catalogs nodes get. `upstream`: those of the existing Puppet Server. `compare`: the same,
   * and the node is compiled here as well, and both catalogs are compared.
   */
  readonly compiler: 'understudy' | 'upstream' | 'compare';
}

/** The values one entry sets. A node's entry overrides its environment's, that one `default`. */
export type PolicyEntry = Partial<FreshnessPolicy>;

/** A policy entry in the HTTP API, in the output of `policy list` and in the document store. */
export interface PolicyDocument {
  readonly freshness?: FreshnessPolicy['freshness'];
  readonly hold_seconds?: number;
  readonly after_hold?: FreshnessPolicy['afterHold'];
  readonly retry_after_seconds?: FreshnessPolicy['retryAfterSeconds'];
  readonly exports?: FreshnessPolicy['exports'];
  readonly deploy_check?: FreshnessPolicy['deployCheck'];
  readonly compiler?: FreshnessPolicy['compiler'];
  readonly language?: FreshnessPolicy['language'];
  readonly strict?: FreshnessPolicy['strict'];
  readonly strict_variables?: FreshnessPolicy['strictVariables'];
  readonly notify?: FreshnessPolicy['notify'];
  readonly notify_rate?: string;
  /** `any` removes the window of the next entry. */
  readonly notify_window?: string;
  readonly canary?: number | string;
  readonly stage_canaries?: FreshnessPolicy['stageCanaries'];
  readonly stage_minutes?: number;
  readonly stage_when_good?: FreshnessPolicy['stageWhenGood'];
  readonly stage_when_worse?: FreshnessPolicy['stageWhenWorse'];
  readonly stage_when_late?: FreshnessPolicy['stageWhenLate'];
}

export const DEFAULT_POLICY: FreshnessPolicy = {
  ...DEFAULT_NOTIFY_POLICY,
  ...DEFAULT_STAGE_POLICY,
  freshness: 'wait',
  holdSeconds: 120,
  afterHold: 'stale',
  retryAfterSeconds: [30, 90],
  exports: 'follow',
  deployCheck: 'off',
  compiler: 'understudy',
};

/** A random `Retry-After` from the policy's range, which `factor` widens. */
export function retryAfterSeconds(
  { retryAfterSeconds: [least, most] }: Pick<FreshnessPolicy, 'retryAfterSeconds'>,
  clock: Pick<Clock, 'random'>,
  factor = 1,
): number {
  return least + Math.floor(clock.random() * ((most - least) * factor + 1));
}

/** The data is not a policy; the message gives the reason. */
export class InvalidPolicy extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidPolicy';
  }
}

const COLLECTION = 'policies';
const LONGEST_HOLD_S = 540;
const LONGEST_RETRY_S = 86_400;
const LISTED_AT_ONCE = 1000;
const KEY = /^(default|environments\/\w+|nodes\/[\w.-]{1,255})$/;

/** Checks and converts a `PolicyDocument`. Throws InvalidPolicy. */
export function readPolicyEntry(data: unknown): PolicyEntry {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw new InvalidPolicy('a policy must be a hash');
  }
  let entry: PolicyEntry = {};
  for (const [name, value] of Object.entries(data)) {
    const read = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
    if (!read) throw new InvalidPolicy(`a policy has no setting '${name}'`);
    entry = { ...entry, ...read(value) };
  }
  return entry;
}

const READERS: Readonly<Record<string, (value: unknown) => PolicyEntry>> = {
  freshness: (value) => ({ freshness: parseChoice('freshness', value, ['wait', 'stale', 'retry']) }),
  exports: (value) => ({ exports: parseChoice('exports', value, ['follow', 'ring']) }),
  deploy_check: (value) => ({ deployCheck: parseChoice('deploy_check', value, ['on', 'off']) }),
  compiler: (value) => ({ compiler: parseChoice('compiler', value, ['understudy', 'upstream', 'compare']) }),
  language(value) {
    const language = parseLanguageLevel(value);
    if (language !== null) return { language };
    throw new InvalidPolicy(`'language' must be one of ${LANGUAGE_LEVELS.join(', ')}`);
  },
  strict(value) {
    const strict = parseStrictLevel(value);
    if (strict !== null) return { strict };
    throw new InvalidPolicy("'strict' must be one of off, warning, error");
  },
  strict_variables(value) {
    if (typeof value === 'boolean') return { strictVariables: value };
    throw new InvalidPolicy("'strict_variables' must be true or false");
  },
  after_hold: (value) => ({ afterHold: parseChoice('after_hold', value, ['stale', 'retry']) }),
  hold_seconds: (value) => ({ holdSeconds: parseSeconds('hold_seconds', value, LONGEST_HOLD_S) }),
  retry_after_seconds(value) {
    if (!Array.isArray(value) || value.length !== 2) {
      throw new InvalidPolicy("'retry_after_seconds' must be two numbers of seconds");
    }
    const [least, most] = value.map((one) => parseSeconds('retry_after_seconds', one, LONGEST_RETRY_S));
    if (least === undefined || most === undefined || least > most) {
      throw new InvalidPolicy("the first value of 'retry_after_seconds' must not exceed the second");
    }
    return { retryAfterSeconds: [least, most] };
  },
  notify: (value) => ({ notify: parseChoice('notify', value, ['off', 'paced', 'now']) }),
  notify_rate(value) {
    const notifyRate = parseNotifyRate(value);
    if (notifyRate !== null) return { notifyRate };
    throw new InvalidPolicy("'notify_rate' must be a number or a percentage per s, min or h, such as 2%/min or 10/min");
  },
  notify_window(value) {
    const notifyWindow = parseNotifyWindow(value);
    if (notifyWindow !== null || value === 'any') return { notifyWindow };
    const forms = "22:00-05:00 (in UTC), 22:00-05:00 Europe/Berlin, or 'any'";
    throw new InvalidPolicy(`'notify_window' must be a time of the day such as ${forms}`);
  },
  canary(value) {
    const canary = parseCanary(value);
    if (canary !== null) return { canary };
    throw new InvalidPolicy("'canary' must be a whole number of nodes from 0 to 1000, or a percentage such as 2%");
  },
  stage_canaries(value) {
    const stageCanaries = parseStageCanaries(value);
    if (stageCanaries !== null) return { stageCanaries };
    const forms = `a whole number of nodes from 1 to ${MOST_STAGE_CANARIES}, a percentage such as 5%, or 'off'`;
    throw new InvalidPolicy(`'stage_canaries' must be ${forms}`);
  },
  stage_minutes(value) {
    const stageMinutes = parseStageMinutes(value);
    if (stageMinutes !== null) return { stageMinutes };
    throw new InvalidPolicy(
      `'stage_minutes' must be whole minutes from ${STAGE_MINUTES.least} to ${STAGE_MINUTES.most}`,
    );
  },
  stage_when_good: (value) => ({ stageWhenGood: parseChoice('stage_when_good', value, STAGE_ENDS.whenGood) }),
  stage_when_worse: (value) => ({ stageWhenWorse: parseChoice('stage_when_worse', value, STAGE_ENDS.whenWorse) }),
  stage_when_late: (value) => ({ stageWhenLate: parseChoice('stage_when_late', value, STAGE_ENDS.whenLate) }),
};

/** Converts an entry to its `PolicyDocument`; the keys keep their order. */
export function writePolicyEntry(entry: PolicyEntry): PolicyDocument {
  const { notifyRate, notifyWindow } = entry;
  const printed: Readonly<Record<string, unknown>> = {
    ...entry,
    ...(notifyRate && { notifyRate: printNotifyRate(notifyRate) }),
    ...(notifyWindow === undefined ? {} : { notifyWindow: notifyWindow ? printNotifyWindow(notifyWindow) : 'any' }),
  };
  return Object.fromEntries(Object.entries(printed).map(([name, value]) => [WIRE_NAMES[name] ?? name, value]));
}

const WIRE_NAMES: Readonly<Record<string, string>> = {
  holdSeconds: 'hold_seconds',
  afterHold: 'after_hold',
  retryAfterSeconds: 'retry_after_seconds',
  deployCheck: 'deploy_check',
  strictVariables: 'strict_variables',
  notifyRate: 'notify_rate',
  notifyWindow: 'notify_window',
  stageCanaries: 'stage_canaries',
  stageMinutes: 'stage_minutes',
  stageWhenGood: 'stage_when_good',
  stageWhenWorse: 'stage_when_worse',
  stageWhenLate: 'stage_when_late',
};

function parseChoice<const T extends string>(name: string, value: unknown, known: readonly T[]): T {
  const found = known.find((one) => one === value);
  if (found === undefined) throw new InvalidPolicy(`'${name}' must be one of ${known.join(', ')}`);
  return found;
}

function parseSeconds(name: string, value: unknown, most: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most) return value;
  throw new InvalidPolicy(`'${name}' must be whole seconds from 0 to ${most}`);
}

/** An entry as it is stored; `author` is the user who set it, null for a command. */
export interface StoredPolicy {
  readonly key: string;
  readonly entry: PolicyEntry;
  readonly author: Author | null;
}

/** Settings that nodes of an environment share. */
const SHARED_SETTINGS = [
  ...(['exports', 'deployCheck', 'language', 'strict', 'strictVariables', 'notifyRate', 'canary'] as const),
  ...(['stageCanaries', 'stageMinutes', 'stageWhenGood', 'stageWhenWorse', 'stageWhenLate'] as const),
] as const;

/** Stores the operator's policies by key: `default`, `environments/<name>`, `nodes/<certname>`. */
export class FreshnessPolicies {
  readonly #documents: DocumentStore;
  readonly #usual: FreshnessPolicy;

  /** `usual` gives the values that no entry sets. */
  constructor(documents: DocumentStore, usual: FreshnessPolicy = DEFAULT_POLICY) {
    this.#documents = documents;
    this.#usual = usual;
  }

  /** The policy in force for a node: its own entry, its environment's, `default`, then `usual`. */
  async resolve(certname: string, environment: string): Promise<FreshnessPolicy> {
    const keys = ['default', `environments/${environment}`, `nodes/${certname}`];
    const entries = await Promise.all(keys.map((key) => this.get(key)));
    const [all, ofEnvironment, ofNode] = entries;
    return { ...this.#usual, ...all, ...ofEnvironment, ...ofNode };
  }

  /** What changed exports do to nodes of an environment (null: any that has no policy). */
  async resolveExports(environment: string | null): Promise<FreshnessPolicy['exports']> {
    const own = environment === null ? null : await this.get(`environments/${environment}`);
    return own?.exports ?? (await this.get('default'))?.exports ?? this.#usual.exports;
  }

  /** Whether deploys of an environment are checked. */
  async resolveDeployCheck(environment: string): Promise<FreshnessPolicy['deployCheck']> {
    const own = await this.get(`environments/${environment}`);
    return own?.deployCheck ?? (await this.get('default'))?.deployCheck ?? this.#usual.deployCheck;
  }

  /** How strictly nodes of an environment are compiled; what no entry says is absent. */
  async resolveStrictness(environment: string): Promise<Partial<Strictness>> {
    const own = await this.get(`environments/${environment}`);
    const all = await this.get('default');
    return { ...strictnessOf(all ?? {}), ...strictnessOf(own ?? {}) };
  }

  /** Whether, and how, git deploys of an environment are staged. */
  async resolveStage(environment: string): Promise<StagePolicy> {
    const [own, all] = [await this.get(`environments/${environment}`), await this.get('default')];
    return { ...this.#usual, ...all, ...own };
  }

  /** Resolves the staging of deploys of each environment; it reads all policies at once. */
  async resolveStages(): Promise<(environment: string) => StagePolicy> {
    const all = { ...this.#usual, ...(await this.get('default')) };
    const own = new Map((await this.#listBelow('environments/')).map(({ key, entry }) => [key, entry]));
    return (environment) => ({ ...all, ...own.get(`environments/${environment}`) });
  }

  async get(key: string): Promise<PolicyEntry | null> {
    return (await this.getStored(key))?.entry ?? null;
  }

  async getStored(key: string): Promise<StoredPolicy | null> {
    const document = await this.#documents.get(COLLECTION, key);
    return document && readStored(key, document);
  }

  list(): Promise<readonly StoredPolicy[]> {
    return this.#listBelow('');
  }

  async #listBelow(prefix: string): Promise<readonly StoredPolicy[]> {
    const found: StoredPolicy[] = [];
    for (let after: string | undefined; ; ) {
      const page = await this.#documents.list(COLLECTION, prefix, LISTED_AT_ONCE, after);
      found.push(...page.map(({ key, document }) => readStored(key, document)));
      if (page.length < LISTED_AT_ONCE) return found;
      after = page.at(-1)?.key;
    }
  }

  /** Creates or replaces an entry. Throws InvalidPolicy for an invalid key. */
  async put(key: string, entry: PolicyEntry, author: Author | null = null): Promise<void> {
    const shared = SHARED_SETTINGS.find((name) => entry[name] !== undefined);
    if (shared !== undefined && key.startsWith('nodes/')) {
      const name = WIRE_NAMES[shared] ?? shared;
      throw new InvalidPolicy(`'${name}' is a setting of environments and of 'default', not of a node`);
    }
    const document = { ...writePolicyEntry(entry), ...(author && { author: { ...author } }) };
    await this.#documents.put(COLLECTION, assertKey(key), document);
  }

  async delete(key: string): Promise<void> {
    await this.#documents.delete(COLLECTION, assertKey(key));
  }
}

function readStored(key: string, { author, ...document }: StoredDocument): StoredPolicy {
  return { key, entry: readPolicyEntry(document), author: readAuthor(author) };
}

function assertKey(key: string): string {
  if (KEY.test(key)) return key;
  throw new InvalidPolicy(`a policy key must be 'default', 'environments/<name>' or 'nodes/<certname>', not '${key}'`);
}
