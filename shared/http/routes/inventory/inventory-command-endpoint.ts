import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type Ast, isInteger, isMap, printClause, writeJson } from '../../../inventory/ast/ast.ts';
import { readJsonBody } from '../../../inventory/ast/json-reader.ts';
import { COMMAND_VERSIONS, type InventoryCommand } from '../../../inventory/commands/apply-command.ts';
import type { CommandOutcome, CommandQueue } from '../../../inventory/commands/command-queue.ts';
import type { Clock } from '../../../store/ports/clock.ts';
import {
  checkFormats,
  type InventoryAnswer,
  type InventoryHttpRequest,
  InventoryRefusal,
  jsonAnswer,
  textAnswer,
} from '../../exchange/inventory-exchange.ts';

const decompress = promisify(gunzip);
const KNOWN = ['checksum', 'secondsToWaitForCompletion', 'certname', 'command', 'version', 'producer-timestamp'];
const REQUIRED = ['certname', 'command'];
/** The longest that a request waits for its command, in seconds. */
const LONGEST_WAIT = 300;
/** The largest body after decompression. */
const LARGEST_PAYLOAD = 256 * 1024 * 1024;

/** Takes a command: answers when it is in the queue, or stored if the request asks for that. */
export async function answerInventoryCommand(
  request: InventoryHttpRequest,
  queue: CommandQueue,
  clock: Clock,
): Promise<InventoryAnswer> {
  checkEncoding(request);
  checkFormats(request);
  const { parameters, payload } = await readRequest(request);
  const command = checkCommand(parameters, payload);
  const seconds = readSeconds(parameters.get('secondsToWaitForCompletion'));
  const [outcome] = await queue.enqueue(command);
  const uuid = makeUuid(clock);
  if (seconds === 0 || outcome === undefined) return answerWith(200, { uuid });
  const ended = await waitFor(outcome, seconds * 1000, clock);
  if (ended === null) return answerWith(503, { uuid, processed: false, timed_out: true });
  const answer = { uuid, processed: true, timed_out: false };
  return ended.error === null
    ? answerWith(200, answer)
    : answerWith(503, { ...answer, error: ended.error, stack_trace: [] });
}

function answerWith(status: number, data: Readonly<Record<string, unknown>>): InventoryAnswer {
  return jsonAnswer(status, JSON.stringify(data));
}

function checkEncoding({ method, headers }: InventoryHttpRequest): void {
  const encoding = headers.get('content-encoding') ?? '';
  if (method !== 'POST' || ['', 'gzip', 'identity'].includes(encoding)) return;
  throw new InventoryRefusal(textAnswer(415, `content encoding ${encoding} not supported`));
}

interface CommandRequest {
  readonly parameters: ReadonlyMap<string, Ast>;
  readonly payload: string;
}

async function readRequest(request: InventoryHttpRequest): Promise<CommandRequest> {
  const body = await readPayload(request);
  const command = request.parameters.get('command');
  if (command === undefined) return readOldForm(body);
  const parameters = new Map<string, Ast>(request.parameters);
  parameters.set('command', command.replaceAll('_', ' '));
  const version = request.parameters.get('version');
  if (version !== undefined && /^[-+]?\d{1,9}$/.test(version)) parameters.set('version', Number(version));
  return { parameters, payload: body };
}

async function readPayload(request: InventoryHttpRequest): Promise<string> {
  const body = await request.readBody();
  const isZipped = request.headers.get('content-encoding') === 'gzip';
  try {
    const plain = isZipped ? await decompress(body, { maxOutputLength: LARGEST_PAYLOAD }) : body;
    return new TextDecoder().decode(plain);
  } catch (error) {
    throw new InventoryRefusal(textAnswer(400, `the body cannot be decompressed: ${String(error)}`));
  }
}

/** The old form: `{"command", "version", "payload"}` as the body, without parameters. */
function readOldForm(body: string): CommandRequest {
  const given = parseBody(body);
  const [command, version, payload] = ['command', 'version', 'payload'].map((name) => given.get(name) ?? null);
  const certname = isMap(payload ?? null) ? ((payload as ReadonlyMap<string, Ast>).get('certname') ?? null) : null;
  const start = `Command ${printClause(command)} for certname ${printClause(certname)} is invalid.`;
  const isMissing = (value: Ast | undefined) => value === null || value === undefined || value === false;
  if (isMissing(command) || isMissing(version) || isMissing(payload)) {
    refuse(
      `${start} Command was submitted without query parameters (old format). The request body must be a JSON map with required keys: command, version, payload.`,
    );
  }
  if (!isMap(payload)) {
    refuse(
      `${start} Command was submitted without query parameters (old format). The payload value must be a JSON map.`,
    );
  }
  const parameters = new Map([...given].filter(([name]) => name !== 'payload'));
  if (certname !== null) parameters.set('certname', certname);
  return { parameters, payload: writeJson(payload) };
}

function parseBody(body: string): ReadonlyMap<string, Ast> {
  try {
    const parsed = readJsonBody(body);
    return isMap(parsed) ? parsed : new Map();
  } catch {
    return new Map();
  }
}

function refuse(message: string): never {
  throw new InventoryRefusal(answerWith(400, { error: message }));
}

/** Checks in PuppetDB's order; refuses with 400 and its words. */
function checkCommand(parameters: ReadonlyMap<string, Ast>, payload: string): InventoryCommand {
  const [command = null, certname = null, version = null] = ['command', 'certname', 'version'].map(
    (name) => parameters.get(name) ?? null,
  );
  const start = `Command ${printClause(command)} for certname ${printClause(certname)} is invalid.`;
  const missing = REQUIRED.filter((name) => !parameters.has(name));
  if (missing.length > 0) refuse(`${start} Command is missing required parameters: ${missing.join(', ')}.`);
  const unknown = [...parameters.keys()].filter((name) => !KNOWN.includes(name));
  if (unknown.length > 0) refuse(`${start} Command has invalid parameters: ${unknown.join(', ')}.`);
  if (typeof certname !== 'string' || certname.trim() === '') {
    refuse(`${start} Certname must be a non-empty string.`);
  }
  const versions = typeof command === 'string' ? COMMAND_VERSIONS.get(command) : undefined;
  if (typeof command !== 'string' || versions === undefined) {
    refuse(`${start} Command must be one of: ${[...COMMAND_VERSIONS.keys()].join(', ')}.`);
  }
  if (!isInteger(version)) refuse(`${start} Version must be a valid integer.`);
  if (version < versions.oldest) {
    refuse(
      `${start} Version ${version} of command ${printClause(command)} is retired. The minimum supported version is ${versions.oldest}.`,
    );
  }
  return { command, certname, version: Number(version), payload };
}

/** What Java's `Double.parseDouble` takes, apart from hexadecimal numbers. */
const JAVA_DOUBLE = /^[-+]?(?:NaN|Infinity|(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?[fd]?)$/i;

/** Refuses, in Java's words, what is no number. */
function readSeconds(value: Ast | undefined): number {
  const text = value === undefined ? '0' : String(value).trim();
  if (!JAVA_DOUBLE.test(text)) {
    throw new InventoryRefusal(textAnswer(500, text === '' ? 'empty String' : `For input string: "${text}"`));
  }
  const seconds = Number.parseFloat(text);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, LONGEST_WAIT) : 0;
}

async function waitFor(
  outcome: Promise<CommandOutcome>,
  limitMs: number,
  clock: Clock,
): Promise<CommandOutcome | null> {
  const ended = new AbortController();
  const limit = clock.sleep(limitMs, ended.signal).then(() => null);
  try {
    return await Promise.race([outcome, limit]);
  } finally {
    ended.abort();
  }
}

/** A random uuid, version 4. */
function makeUuid(clock: Clock): string {
  const digits = (count: number) =>
    Array.from({ length: count }, () => Math.floor(clock.random() * 16).toString(16)).join('');
  const variant = '89ab'[Math.floor(clock.random() * 4)] ?? '8';
  return `${digits(8)}-${digits(4)}-4${digits(3)}-${variant}${digits(3)}-${digits(12)}`;
}
