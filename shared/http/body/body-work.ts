import { isUtf8 } from 'node:buffer';
import { createHash, createHmac } from 'node:crypto';
import { InvalidJson, type JsonBounds, type JsonSpan, MOST_DIGITS, scanJson } from '../../util/json-scan.ts';
import { BodyRefused } from './body-kinds.ts';
import { checkFacts } from './check-facts.ts';
import { readFailedRun } from './read-failed-run.ts';
import { readForm } from './read-form.ts';

/** Characters of an invalid text quoted in an error. */
const SHOWN = 1000;
/** The longest text of which `JSON.parse` says why it is invalid. */
const SHORT_TEXT = 64 * 1024;
/** The longest white space that is taken for no value. */
const LONGEST_SPACE = 1024;
/** The longest member that `readMembers` reads. */
const LONGEST_MEMBER = 64 * 1024;

/** The members of a JSON map by name. */
type BodyMembers = ReadonlyMap<string, unknown>;

/**
 * The kinds of work with bodies, by name. Those that are not small go to a thread. Input and output
 * are plain data.
 */
export const BODY_WORK = {
  keep: (bytes: Buffer) => bytes,
  /** Text; what is not UTF-8 is replaced. */
  decode: (bytes: Buffer) => new TextDecoder().decode(bytes),
  /** JSON with facts; see `checkFacts`. */
  readFacts: (bytes: Buffer) => checkFacts(new TextDecoder().decode(bytes)),
  readForm: (bytes: Buffer) => ({ form: readForm(bytes), bytes }),
  checkQuery,
  checkJson,
  readMembers,
  readReport,
  digest: (bytes: Buffer, algorithm: string) => ({
    bytes,
    digest: createHash(algorithm).update(bytes).digest('hex'),
  }),
  readSignedMembers,
  readCommand,
} as const;

interface TextWanted extends JsonBounds {
  /** Whether nothing but white space is taken for no value. */
  readonly mayBeEmpty: boolean;
}

/** Checks one JSON value in UTF-8; returns its text, which is empty without a value. */
function checkJson(bytes: Buffer, { mayBeEmpty, ...bounds }: TextWanted): string {
  if (mayBeEmpty && bytes.length <= LONGEST_SPACE && bytes.toString('latin1').trim() === '') return '';
  const { text } = checkBytes(bytes, bounds);
  return text.toString('utf8');
}

/**
 * The text of a query; its own reader says what is wrong with a short one. Throws BodyRefused for
 * one that would keep that reader busy.
 */
function checkQuery(bytes: Buffer, bounds: JsonBounds): string {
  try {
    return checkJson(bytes, { ...bounds, mayBeEmpty: true });
  } catch (error) {
    const isForReader = error instanceof BodyRefused && error.fault === 'not-json' && bytes.length <= SHORT_TEXT;
    if (!isForReader) throw error;
    return new TextDecoder().decode(bytes);
  }
}

interface CheckedJson {
  /** Without a byte order mark. */
  readonly text: Buffer;
  readonly spans: ReadonlyMap<string, JsonSpan> | null;
}

function checkBytes(bytes: Buffer, bounds: JsonBounds): CheckedJson {
  if (!isUtf8(bytes)) throw new BodyRefused('malformed', 'The request body is not UTF-8');
  return scanBytes(bytes, bounds);
}

function scanBytes(bytes: Buffer, bounds: JsonBounds): CheckedJson {
  const text = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
  try {
    return { text, spans: scanJson(text, bounds) };
  } catch (error) {
    if (!(error instanceof InvalidJson)) throw error;
    throw explainInvalid(error, text, bounds);
  }
}

function explainInvalid({ kind, message, rest }: InvalidJson, text: Buffer, bounds: JsonBounds): BodyRefused {
  const start = text.toString('utf8', 0, 4 * SHOWN).slice(0, SHOWN);
  const { depth, values } = bounds;
  if (kind === 'digits') {
    return new BodyRefused('malformed', `The request body has a number of more than ${MOST_DIGITS} characters`);
  }
  if (kind === 'values') return new BodyRefused('too-many-values', `The request body has more than ${values} values`);
  if (kind === 'depth') {
    const reason = `it is nested more deeply than ${depth} levels`;
    return new BodyRefused('too-deep', `The request body is not JSON: ${reason}`, { reason, rest, start });
  }
  const reason = (text.length <= SHORT_TEXT ? reasonOf(text.toString('utf8')) : null) ?? message;
  return new BodyRefused('not-json', `The request body is not JSON: ${reason}`, { reason, rest, start });
}

function reasonOf(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

interface MembersWanted extends JsonBounds {
  /** Members that are read with all that is in them. */
  readonly wholes: readonly string[];
}

/**
 * Checks JSON, and reads the members of the map that it is: scalars, and an empty list or map for
 * each list and map that is not among `wholes`. Members of more than 64 KB are empty, too, or null.
 * Null for another value.
 */
function readMembers(bytes: Buffer, { wholes, ...bounds }: MembersWanted) {
  const { text, spans } = scanBytes(bytes, bounds);
  return { members: spans && membersOf(text, spans, wholes), bytes };
}

/** The same, with what failed in the run if it failed: see `readFailedRun`. */
function readReport(bytes: Buffer, { wholes, ...bounds }: MembersWanted) {
  const { text, spans } = scanBytes(bytes, bounds);
  const members = spans && membersOf(text, spans, wholes);
  const failures = spans && members?.get('status') === 'failed' ? readFailedRun(text, spans) : null;
  return { members, failures, bytes };
}

function membersOf(text: Buffer, spans: ReadonlyMap<string, JsonSpan>, wholes: readonly string[]): BodyMembers {
  const members = new Map<string, unknown>();
  for (const [name, { start, end }] of spans) {
    const kind = text[start];
    const isNested = kind === 0x7b || kind === 0x5b;
    const isRead = end - start <= LONGEST_MEMBER && (!isNested || wholes.includes(name));
    if (isRead) members.set(name, JSON.parse(text.toString('utf8', start, end)));
    else members.set(name, isNested ? (kind === 0x7b ? {} : []) : null);
  }
  return members;
}

/** The members of a JSON map, null for what is none; and the digest that its sender signs. */
function readSignedMembers(bytes: Buffer, { secret, ...wanted }: MembersWanted & { readonly secret: string }) {
  const hmac = secret === '' ? '' : createHmac('sha256', secret).update(bytes).digest('hex');
  try {
    return { hmac, members: readMembers(bytes, wanted).members };
  } catch (error) {
    if (error instanceof BodyRefused) return { hmac, members: null };
    throw error;
  }
}

/** The body of a command for the inventory. */
export interface CommandBody {
  readonly payload: Uint8Array;
  /** JSON of the members beside the payload, in the old form; else null, and for no map. */
  readonly others: string | null;
  /** The kind of the payload. */
  readonly kind: 'missing' | 'map' | 'other';
  /** JSON of the payload's member `certname`, in the old form; null without one. */
  readonly certname: string | null;
}

/**
 * Checks a command. In the old form the body is a map, of which the payload is a member; in the new
 * one it is the payload. Nothing at all is taken for a payload, as by PuppetDB.
 */
function readCommand(bytes: Buffer, { isOldForm, ...bounds }: JsonBounds & { readonly isOldForm: boolean }) {
  if (bytes.length === 0) return commandOf(bytes, null, 'missing', null);
  const { text, spans } = checkBytes(bytes, bounds);
  if (!isOldForm) return commandOf(text, null, spans === null ? 'other' : 'map', null);
  const span = spans?.get('payload');
  const payload = span === undefined ? text.subarray(0, 0) : text.subarray(span.start, span.end);
  const isMissing = ['', 'null', 'false'].includes(payload.toString('latin1', 0, 6));
  const members = isMissing ? null : scanJson(payload);
  const certname = members?.get('certname');
  return commandOf(
    payload,
    spans && printOthers(text, spans),
    isMissing ? 'missing' : members === null ? 'other' : 'map',
    certname === undefined ? null : payload.toString('utf8', certname.start, certname.end),
  );
}

function commandOf(...[payload, others, kind, certname]: [Buffer, string | null, CommandBody['kind'], string | null]) {
  return { payload: new Uint8Array(payload), others, kind, certname } satisfies CommandBody;
}

function printOthers(text: Buffer, spans: ReadonlyMap<string, JsonSpan>): string {
  const others = [...spans].filter(([name]) => name !== 'payload');
  const size = others.reduce((sum, [, { start, end }]) => sum + end - start, 0);
  if (size > LONGEST_MEMBER) {
    throw new BodyRefused('too-large', `The command has more than ${LONGEST_MEMBER} bytes beside its payload`);
  }
  const members = others.map(
    ([name, { start, end }]) => `${JSON.stringify(name)}:${text.toString('utf8', start, end)}`,
  );
  return `{${members.join(',')}}`;
}
