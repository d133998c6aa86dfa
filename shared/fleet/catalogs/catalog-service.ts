import type { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';

/** A node's check-in: what an agent's catalog request says. */
export interface CheckIn {
  readonly certname: string;
  /** The environment the agent asks for. */
  readonly environment: string;
  /** Facts as posted; null for a GET without facts. */
  readonly facts: PuppetHash | null;
  readonly trusted: PuppetHash;
  /** The type of checksums that a static catalog is wanted with; null for an ordinary catalog. */
  readonly checksumType?: string | null;
  /**
   * Whether the agent only wants to hear of it when it is in another environment than the one that
   * it asks for.
   */
  readonly checkEnvironment?: boolean;
}

/** Facts of a held request: their text takes a tenth of the memory of the values. */
export interface FactsText {
  /** Parses the text anew at each call. */
  parse(): PuppetHash;
}

export type CatalogAnswer =
  /** `catalog` is gzipped rich-data JSON, byte for byte as committed. */
  | {
      readonly status: 'current' | 'stale';
      readonly catalog: Uint8Array;
      readonly hash: string;
      readonly codeId: string | null;
    }
  /** The compile failed: Puppet Server's error message. */
  | { readonly status: 'failed'; readonly message: string }
  | { readonly status: 'unknown-environment'; readonly environment: string }
  /**
   * The node is classified into another environment, and asked to hear of that before anything is
   * compiled.
   */
  | { readonly status: 'other-environment'; readonly environment: string }
  /** Nothing within the hold: come back after `retryAfterSeconds`. */
  | { readonly status: 'unavailable'; readonly retryAfterSeconds: number };

/** The first step of a check-in: its answer, or a compile to wait for. */
export type AcceptedCheckIn = { readonly kind: 'answered'; readonly answer: CatalogAnswer } | HeldCheckIn;

/** A check-in whose compile is under way. It keeps no facts. */
export interface HeldCheckIn {
  readonly kind: 'held';
  /**
   * The second step: waits until the compile is committed, the hold is over or `signal` aborts.
   * Parses `facts`, those of the check-in, when a commit has to be compared with them.
   */
  wait(facts: FactsText | null, signal?: AbortSignal): Promise<CatalogAnswer>;
}

/** The cache of catalogs as the front doors see it. */
export interface CatalogService {
  /** Answers from the store when current; else records the facts and asks for a compile. */
  accept(checkIn: CheckIn): Promise<AcceptedCheckIn>;
}

/** Takes both steps at once, for a caller that keeps the facts anyway. */
export async function answerCheckIn(
  catalogs: CatalogService,
  checkIn: CheckIn,
  signal?: AbortSignal,
): Promise<CatalogAnswer> {
  const accepted = await catalogs.accept(checkIn);
  if (accepted.kind === 'answered') return accepted.answer;
  const { facts } = checkIn;
  return accepted.wait(facts && { parse: () => facts }, signal);
}
