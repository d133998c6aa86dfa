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
