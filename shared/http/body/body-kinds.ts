import type { JsonBounds } from '../../util/json-scan.ts';

const [KB, MB] = [1024, 1024 ** 2];

/** The kinds of bodies of requests. */
export interface BodyKind extends JsonBounds {
  /** Most bytes, after decompression. */
  readonly bytes: number;
  /** Whether it may come with gzip; all other encodings are refused. */
  readonly isZipped?: true;
}

/** As in Ruby, and so what agents send. */
const DEEPEST = 100;
/** A value takes at least two bytes; most of those that are sent take ten to a hundred. */
const SMALL = { depth: DEEPEST, values: 100_000 };
const LARGE = { depth: 2 * DEEPEST, values: 8_000_000 };

/** All kinds of bodies. */
export const BODIES = {
  classification: { ...SMALL, bytes: 256 * KB },
  certificateRequest: { ...SMALL, bytes: 64 * KB },
  /** Lists of certnames and of node groups; what is forwarded to a certificate authority. */
  certnames: { ...SMALL, values: 250_000, bytes: 16 * MB },
  revocationLists: { ...SMALL, bytes: 16 * MB },
  /**
   * Puppet warns from 2,048 values on (number_of_facts_soft_limit).
   */
  // Differs from Puppet: it takes any number of values, and is busy with them for as long.
  facts: { ...SMALL, bytes: 16 * MB },
  report: { ...LARGE, depth: DEEPEST, bytes: 32 * MB },
  bucket: { ...SMALL, bytes: 64 * MB },
  webhook: { ...LARGE, bytes: 8 * MB },
  /** A request of an operator or a pipeline. */
  command: { ...SMALL, bytes: MB },
  /** Bolt sends files as Base64 in a request to the orchestrator. */
  job: { ...SMALL, bytes: 64 * MB },
  /** Code is unpacked and stored as it comes; `fleet/code` bounds what is in the archive. */
  code: { ...SMALL, bytes: 1024 * MB },
  /** PuppetDB's clients send catalogs of tens of megabytes. */
  inventoryCommand: { ...LARGE, bytes: 128 * MB, isZipped: true },
  /** A query that another process answers. */
  passedQuery: { ...SMALL, bytes: MB },
  inventoryQuery: { depth: 1000, values: 200_000, bytes: 4 * MB },
} satisfies Readonly<Record<string, BodyKind>>;
