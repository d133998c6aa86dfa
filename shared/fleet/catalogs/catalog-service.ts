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
  /**
   * Called when nobody is going to look at the facts for a while, so that a request that is held
   * need not keep them at hand.
   */
  readonly rest?: () => void;
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

/** The cache of catalogs as the front doors see it. */
export interface CatalogService {
  /**
   * Answers from the store when current; else records the facts, asks for a compile and holds until
   * it is committed or `signal` aborts.
   */
  checkIn(checkIn: CheckIn, signal?: AbortSignal): Promise<CatalogAnswer>;
}
