/** Kinds of answers in place of the wanted one. */
type FaultKind =
  | 'unreachable'
  | 'late'
  | 'unavailable'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'too-large'
  | 'refused'
  | 'broken';

/** A request that failed. `message` is a sentence for the user. */
export class ApiFault extends Error {
  override readonly name = 'ApiFault';
  readonly kind: FaultKind;
  readonly status: number | null;
  /** Seconds that the server asks to wait; null when it does not say. */
  readonly retryAfter: number | null;
  /** The body of the answer where it is JSON. */
  readonly details: unknown;

  constructor(
    kind: FaultKind,
    message: string,
    {
      status = null,
      retryAfter = null,
      details = null,
    }: { readonly status?: number | null; readonly retryAfter?: number | null; readonly details?: unknown } = {},
  ) {
    super(message);
    this.kind = kind;
    this.status = status;
    this.retryAfter = retryAfter;
    this.details = details;
  }

  /** Whether the same request may succeed later. */
  get isTransient(): boolean {
    return this.kind === 'unreachable' || this.kind === 'late' || this.kind === 'unavailable';
  }
}

const KINDS: Readonly<Record<number, FaultKind>> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not-found',
  409: 'conflict',
  413: 'too-large',
  429: 'unavailable',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
};

/** The fault that an answer means. `body` is its text. */
export function faultOfAnswer(status: number, retryAfter: string | null, body: string): ApiFault {
  const kind = KINDS[status] ?? (status >= 500 ? 'broken' : 'refused');
  const details = parseOrNull(body);
  const seconds = Number(retryAfter ?? Number.NaN);
  return new ApiFault(kind, messageIn(details) ?? defaultMessage(kind, status, body), {
    status,
    details,
    retryAfter: Number.isFinite(seconds) && seconds >= 0 ? seconds : null,
  });
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** The sentence in an error of any of the APIs: `msg`, `message` or `error`. */
function messageIn(details: unknown): string | null {
  if (typeof details !== 'object' || details === null) return null;
  for (const key of ['msg', 'message', 'error']) {
    const value: unknown = Reflect.get(details, key);
    if (typeof value === 'string' && value !== '') return value;
  }
  return null;
}

const SENTENCES: Readonly<Partial<Record<FaultKind, string>>> = {
  unauthenticated: 'Your session has ended.',
  forbidden: 'You may not do this. Ask an administrator for the permission.',
  'not-found': 'There is nothing at this address.',
  conflict: 'Somebody else changed this in the meantime.',
  'too-large': 'The request is larger than the server accepts.',
  unavailable: 'The server is overloaded or restarting.',
};

/** A longer text is a page, and no message. */
const LONGEST_TEXT = 2_000;

function defaultMessage(kind: FaultKind, status: number, body: string): string {
  const sentence = SENTENCES[kind];
  if (sentence !== undefined) return sentence;
  const text = body.trim();
  return text !== '' && text.length < LONGEST_TEXT && !text.startsWith('<')
    ? text
    : `The server answered with status ${status}.`;
}
