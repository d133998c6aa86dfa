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
  /** A form with an answer of an identity provider, in Base64 with its signs escaped. */
  samlAnswer: { ...SMALL, bytes: 512 * KB },
  /** Bolt sends files as Base64 in a request to the orchestrator. */
  job: { ...SMALL, bytes: 64 * MB },
  /** Code is unpacked and stored as it comes; `fleet/code` bounds what is in the archive. */
  code: { ...SMALL, bytes: 1024 * MB },
  /** PuppetDB's clients send catalogs of tens of megabytes. */
  inventoryCommand: { ...LARGE, bytes: 128 * MB, isZipped: true },
  /** An archive of PuppetDB, which is read as it comes. */
  archive: { ...SMALL, bytes: 64 * 1024 * MB },
  /** A query that another process answers. */
  passedQuery: { ...SMALL, bytes: MB },
  inventoryQuery: { depth: 1000, values: 200_000, bytes: 4 * MB },
} satisfies Readonly<Record<string, BodyKind>>;

/** Why a body is refused, with the status of the answer. */
const STATUSES = {
  'too-large': 413,
  'too-many-values': 413,
  'unsupported-encoding': 415,
  'too-slow': 408,
  damaged: 400,
  malformed: 400,
  'not-json': 400,
  'too-deep': 400,
  unavailable: 503,
} as const;

export type BodyFault = keyof typeof STATUSES;

/** A description of a text that is not JSON. */
export interface JsonFault {
  /** The reader's description of it. */
  readonly reason: string;
  /** The beginning of the rest that cannot be read. */
  readonly rest: string;
  /** The beginning of the text. */
  readonly start: string;
}

/** A body that is refused before anything of it is used. The message is for the client. */
export class BodyRefused extends Error {
  override readonly name = 'BodyRefused';
  readonly fault: BodyFault;
  readonly json: JsonFault | null;

  constructor(fault: BodyFault, message: string, json: JsonFault | null = null) {
    super(message);
    this.fault = fault;
    this.json = json;
  }

  get status(): number {
    return STATUSES[this.fault];
  }
}

/** The refusal of a body with more than `limit` bytes. */
export function tooLargeBody(limit: number): BodyRefused {
  return new BodyRefused('too-large', `The request body has more than ${limit} bytes`);
}
