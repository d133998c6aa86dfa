import type { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';

/** A node's check-in: the content of an agent's catalog request. */
export interface CheckIn {
  readonly certname: string;
  /** The environment the agent requests. */
  readonly environment: string;
  /** The posted facts; null for a GET without facts. */
  readonly facts: PuppetHash | null;
  readonly trusted: PuppetHash;
  /** The checksum type of the requested static catalog; null for an ordinary catalog. */
  readonly checksumType?: string | null;
  /**
   * Whether the agent wants only an environment notice if it is classified into another environment
   * than the one it requests.
   */
  readonly checkEnvironment?: boolean;
  /**
   * False for facts that come without a request for the catalog. Their compile has no priority, and
   * the answer is `unavailable` where a request would be held.
   */
  readonly isAwaited?: boolean;
}

/** Facts of a held request as text, which takes a tenth of the memory of the parsed values. */
export interface FactsText {
  /** Parses the text at each call; a long one in steps. */
  parse(): Promise<PuppetHash>;
}

export type CatalogAnswer =
  /** `catalog` is gzipped rich-data JSON, byte for byte as committed. */
  | {
      readonly status: 'current' | 'stale';
      readonly catalog: Uint8Array;
      readonly hash: string;
      readonly codeId: string | null;
    }
  /** The compile failed; `message` is Puppet Server's error message. */
  | { readonly status: 'failed'; readonly message: string }
  | { readonly status: 'unknown-environment'; readonly environment: string }
  /**
   * The node is classified into another environment, and the agent asked to get this answer before
   * anything is compiled.
   */
  | { readonly status: 'other-environment'; readonly environment: string }
  /** No catalog within the hold: retry after `retryAfterSeconds`. */
  | { readonly status: 'unavailable'; readonly retryAfterSeconds: number };

/** The result of the first step: an answer, or a compile to wait for. */
export type AcceptedCheckIn = { readonly kind: 'answered'; readonly answer: CatalogAnswer } | HeldCheckIn;

/** A check-in whose compile is in progress. It keeps no facts. */
export interface HeldCheckIn {
  readonly kind: 'held';
  /**
   * The second step: waits until the compile is committed, the hold ends or `signal` aborts.
   * `facts`, those of the check-in, are parsed when they must be compared with a commit.
   */
  wait(facts: FactsText | null, signal?: AbortSignal): Promise<CatalogAnswer>;
}

/** The catalog cache, as the front doors use it. */
export interface CatalogService {
  /**
   * Answers from the store when the catalog is current; else stores the facts and requests a
   * compile.
   */
  accept(checkIn: CheckIn): Promise<AcceptedCheckIn>;
}

/** Takes both steps, for a caller that keeps the facts in memory anyway. */
export async function answerCheckIn(
  catalogs: CatalogService,
  checkIn: CheckIn,
  signal?: AbortSignal,
): Promise<CatalogAnswer> {
  const accepted = await catalogs.accept(checkIn);
  if (accepted.kind === 'answered') return accepted.answer;
  const { facts } = checkIn;
  return accepted.wait(facts && { parse: async () => facts }, signal);
}
