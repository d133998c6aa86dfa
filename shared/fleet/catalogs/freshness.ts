import type { Clock } from '../../store/ports/clock.ts';
import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';

/** What a node gets whose catalog is not current. */
export interface FreshnessPolicy {
  /**
   * `wait`: it is held until a catalog is compiled. `stale`: it gets its last good catalog at once,
   * and is held only without one. `retry`: it is told at once to come back.
   */
  readonly freshness: 'wait' | 'stale' | 'retry';
  /** How long it is held at most; a front door may hold it for less. */
  readonly hold_seconds: number;
  /**
   * What it gets after that: its last good catalog, or (`retry`, and without one) `503` with
   * `Retry-After`.
   */
  readonly after_hold: 'stale' | 'retry';
  /** `Retry-After` is spread evenly between these. */
  readonly retry_after_seconds: readonly [least: number, most: number];
}

/**
 * What one entry sets; the rest is left to the next one: node, then environment, then `default`.
 */
export type PolicyEntry = Partial<FreshnessPolicy>;

export const DEFAULT_POLICY: FreshnessPolicy = {
  freshness: 'wait',
  hold_seconds: 120,
  after_hold: 'stale',
  retry_after_seconds: [30, 90],
};

/**
 * Seconds to come back after, spread evenly over the policy's span, or over `factor` times that.
 */
export function retryAfterSeconds(
  { retry_after_seconds: [least, most] }: Pick<FreshnessPolicy, 'retry_after_seconds'>,
  clock: Pick<Clock, 'random'>,
  factor = 1,
): number {
  return least + Math.floor(clock.random() * ((most - least) * factor + 1));
}

/** What was given is no policy; the message says why. */
export class InvalidPolicy extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidPolicy';
  }
}

const COLLECTION = 'policies';
const LONGEST_HOLD_S = 540;
const LONGEST_RETRY_S = 86_400;
const MOST_LISTED = 10_000;
const KEY = /^(default|environments\/\w+|nodes\/[\w.-]{1,255})$/;

/** Reads an entry as the API takes it. Throws InvalidPolicy. */
export function readPolicyEntry(data: unknown): PolicyEntry {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) throw new InvalidPolicy('a policy is a hash');
  let entry: PolicyEntry = {};
  for (const [name, value] of Object.entries(data)) {
    const read = READERS[name];
    if (!read) throw new InvalidPolicy(`a policy has no '${name}'`);
    entry = { ...entry, ...read(value) };
  }
  return entry;
}

const READERS: Readonly<Record<string, (value: unknown) => PolicyEntry>> = {
  freshness: (value) => ({ freshness: parseChoice('freshness', value, ['wait', 'stale', 'retry']) }),
  after_hold: (value) => ({ after_hold: parseChoice('after_hold', value, ['stale', 'retry']) }),
  hold_seconds: (value) => ({ hold_seconds: parseSeconds('hold_seconds', value, LONGEST_HOLD_S) }),
  retry_after_seconds(value) {
    if (!Array.isArray(value) || value.length !== 2) {
      throw new InvalidPolicy("'retry_after_seconds' must be two numbers of seconds");
    }
    const [least, most] = value.map((one) => parseSeconds('retry_after_seconds', one, LONGEST_RETRY_S));
    if (least === undefined || most === undefined || least > most) {
      throw new InvalidPolicy("'retry_after_seconds' must not begin above its end");
    }
    return { retry_after_seconds: [least, most] };
  },
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

/** The operator's policies: `default`, `environments/<name>`, `nodes/<certname>`. */
export class FreshnessPolicies {
  readonly #documents: DocumentStore;
  readonly #usual: FreshnessPolicy;

  /** `usual` is what holds where no entry says otherwise. */
  constructor(documents: DocumentStore, usual: FreshnessPolicy = DEFAULT_POLICY) {
    this.#documents = documents;
    this.#usual = usual;
  }

  /** What holds for a node. */
  async resolve(certname: string, environment: string): Promise<FreshnessPolicy> {
    const keys = ['default', `environments/${environment}`, `nodes/${certname}`];
    const entries = await Promise.all(keys.map((key) => this.get(key)));
    const [all, ofEnvironment, ofNode] = entries;
    return { ...this.#usual, ...all, ...ofEnvironment, ...ofNode };
  }

  async get(key: string): Promise<PolicyEntry | null> {
    const document = await this.#documents.get(COLLECTION, key);
    return document && readPolicyEntry(document);
  }

  async list(): Promise<readonly { readonly key: string; readonly entry: PolicyEntry }[]> {
    const found = await this.#documents.list(COLLECTION, '', MOST_LISTED);
    return found.map(({ key, document }) => ({ key, entry: readPolicyEntry(document) }));
  }

  /** Sets an entry, over what was there. Throws InvalidPolicy for a key that is none. */
  async put(key: string, entry: PolicyEntry): Promise<void> {
    await this.#documents.put(COLLECTION, assertKey(key), entry as StoredDocument);
  }

  async delete(key: string): Promise<void> {
    await this.#documents.delete(COLLECTION, assertKey(key));
  }
}

function assertKey(key: string): string {
  if (KEY.test(key)) return key;
  throw new InvalidPolicy(`a policy is of 'default', 'environments/<name>' or 'nodes/<certname>', not of '${key}'`);
}
