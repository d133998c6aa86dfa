import { type Author, readAuthor } from '../../access/accounts/account.ts';
import type { Strictness } from '../../config/strictness.ts';
import { allDocuments } from '../../store/list-pages.ts';
import type { Clock } from '../../store/ports/clock.ts';
import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';
import {
  DEFAULT_POLICY,
  type FreshnessPolicy,
  InvalidPolicy,
  POLICY_FIELDS,
  POLICY_NAMES,
  type PolicyEntry,
  readPolicyEntry,
  wireNameOf,
  writePolicyEntry,
} from './policy-fields.ts';
import { strictnessOf } from './strictness-policy.ts';

const COLLECTION = 'policies';
const KEY = /^(default|environments\/\w+|nodes\/[\w.-]{1,255})$/;

/** A random `Retry-After` from the policy's range, which `factor` widens. */
export function retryAfterSeconds(
  { retryAfterSeconds: [least, most] }: Pick<FreshnessPolicy, 'retryAfterSeconds'>,
  clock: Pick<Clock, 'random'>,
  factor = 1,
): number {
  return least + Math.floor(clock.random() * ((most - least) * factor + 1));
}

/** The fields of a policy that stage new code: some nodes have it first. */
type StagePolicy = Pick<
  FreshnessPolicy,
  'stageCanaries' | 'stageMinutes' | 'stageWhenGood' | 'stageWhenWorse' | 'stageWhenLate'
>;

/** An entry as it is stored; `author` is the user who set it, null for a command. */
export interface StoredPolicy {
  readonly key: string;
  readonly entry: PolicyEntry;
  readonly author: Author | null;
}

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

  /** Effect of changed exports on nodes of an environment (null: any that has no policy). */
  async resolveExports(environment: string | null): Promise<FreshnessPolicy['exports']> {
    const own = environment === null ? null : await this.get(`environments/${environment}`);
    return own?.exports ?? (await this.get('default'))?.exports ?? this.#usual.exports;
  }

  /** Whether deploys of an environment are checked. */
  async resolveDeployCheck(environment: string): Promise<FreshnessPolicy['deployCheck']> {
    const own = await this.get(`environments/${environment}`);
    return own?.deployCheck ?? (await this.get('default'))?.deployCheck ?? this.#usual.deployCheck;
  }

  /** Strictness of compiles in an environment; a setting without an entry is absent. */
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
    for await (const { key, document } of allDocuments(this.#documents, COLLECTION, { prefix })) {
      found.push(readStored(key, document));
    }
    return found;
  }

  /** Creates or replaces an entry. Throws InvalidPolicy for an invalid key. */
  async put(key: string, entry: PolicyEntry, author: Author | null = null): Promise<void> {
    const shared = POLICY_NAMES.find((name) => POLICY_FIELDS[name].isShared && entry[name] !== undefined);
    if (shared !== undefined && key.startsWith('nodes/')) {
      throw new InvalidPolicy(`'${wireNameOf(shared)}' is a setting of environments and of 'default', not of a node`);
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
