import { type Ast, isInteger, isMap, printClause } from '../../../inventory/ast/ast.ts';
import { readJsonBody } from '../../../inventory/ast/json-reader.ts';
import { COMMAND_VERSIONS } from '../../../inventory/commands/apply-command.ts';
import type { CommandOutcome, CommandQueue } from '../../../inventory/commands/command-queue.ts';
import type { SentCommand } from '../../../inventory/commands/store-command.ts';
import type { Clock } from '../../../store/ports/clock.ts';
import { BODIES } from '../../body/body-kinds.ts';
import type { CommandBody } from '../../body/body-work.ts';
import {
  checkFormats,
  type InventoryAnswer,
  type InventoryHttpRequest,
  InventoryRefusal,
  jsonAnswer,
  textAnswer,
} from '../../exchange/inventory-exchange.ts';
import { isNotJson } from '../../exchange/request-body.ts';

const KNOWN = ['checksum', 'secondsToWaitForCompletion', 'certname', 'command', 'version', 'producer-timestamp'];
const REQUIRED = ['certname', 'command'];
/** The longest that a request waits for its command, in seconds. */
const LONGEST_WAIT = 300;

/** Whether a request with this path is a command: one may follow the version. */
export function isCommandPath(path: string): boolean {
  return /^\/pdb\/cmd\/v1(?:\/|$)/.test(path);
}

/** Takes a command: answers when it is in the queue, or stored if the request asks for that. */
export async function answerInventoryCommand(
  request: InventoryHttpRequest,
  queue: CommandQueue,
  clock: Clock,
): Promise<InventoryAnswer> {
  checkEncoding(request);
  checkFormats(request);
  const { seconds, ...command } = await readRequest(request);
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

type CommandParameters = ReadonlyMap<string, Ast>;

async function readRequest(request: InventoryHttpRequest): Promise<SentCommand & { readonly seconds: number }> {
  const { depth, values } = BODIES.inventoryCommand;
  const read = (isOldForm: boolean) =>
    request.readBody(BODIES.inventoryCommand, 'readCommand', { depth, values, isOldForm });
  if (!request.parameters.has('command')) {
    const body = await read(true).catch((error: unknown) => (isNotJson(error) ? NO_COMMAND : Promise.reject(error)));
    const parameters = readOldForm(body);
    return { ...checkCommand(parameters), seconds: readSeconds(parameters), payload: body.payload };
  }
  const parameters = readParameters(request.parameters);
  const command = checkCommand(parameters);
  const seconds = readSeconds(parameters);
  const { payload } = await read(false).catch((error: unknown) => {
    throw isNotJson(error)
      ? refusal(`${startOf(parameters)} The request body must be JSON: ${error.json.reason}.`)
      : error;
  });
  return { ...command, seconds, payload };
}

function readParameters(given: ReadonlyMap<string, string>): CommandParameters {
  const parameters = new Map<string, Ast>(given);
  parameters.set('command', given.get('command')?.replaceAll('_', ' ') ?? null);
  const version = given.get('version');
  if (version !== undefined && /^[-+]?\d{1,9}$/.test(version)) parameters.set('version', Number(version));
  return parameters;
}

const NO_COMMAND: CommandBody = { payload: new Uint8Array(), others: null, kind: 'missing', certname: null };

/** The old form: `{"command", "version", "payload"}` as the body, without parameters. */
function readOldForm({ others, kind, certname }: CommandBody): CommandParameters {
  const given = others === null ? null : readJsonBody(others);
  const parameters = new Map(isMap(given) ? given : []);
  const shown = new Map([...parameters, ['certname', certname === null ? null : readJsonBody(certname)]]);
  const start = `${startOf(shown)} Command was submitted without query parameters (old format).`;
  const isMissing = ['command', 'version'].some((name) => (parameters.get(name) ?? false) === false);
  if (isMissing || kind === 'missing') {
    throw refusal(`${start} The request body must be a JSON map with required keys: command, version, payload.`);
  }
  if (kind !== 'map') throw refusal(`${start} The payload value must be a JSON map.`);
  return certname === null ? parameters : shown;
}

function refusal(message: string): InventoryRefusal {
  return new InventoryRefusal(answerWith(400, { error: message }));
}

function startOf(parameters: CommandParameters): string {
  const [command, certname] = ['command', 'certname'].map((name) => parameters.get(name) ?? null);
  return `Command ${printClause(command ?? null)} for certname ${printClause(certname ?? null)} is invalid.`;
}

/** Checks in PuppetDB's order; refuses with 400 and its words. */
function checkCommand(parameters: CommandParameters): Omit<SentCommand, 'payload'> {
  const [command = null, certname = null, version = null] = ['command', 'certname', 'version'].map(
    (name) => parameters.get(name) ?? null,
  );
  const start = startOf(parameters);
  const missing = REQUIRED.filter((name) => !parameters.has(name));
  if (missing.length > 0) throw refusal(`${start} Command is missing required parameters: ${missing.join(', ')}.`);
  const unknown = [...parameters.keys()].filter((name) => !KNOWN.includes(name));
  if (unknown.length > 0) throw refusal(`${start} Command has invalid parameters: ${unknown.join(', ')}.`);
  if (typeof certname !== 'string' || certname.trim() === '') {
    throw refusal(`${start} Certname must be a non-empty string.`);
  }
  const versions = typeof command === 'string' ? COMMAND_VERSIONS.get(command) : undefined;
  if (typeof command !== 'string' || versions === undefined) {
    throw refusal(`${start} Command must be one of: ${[...COMMAND_VERSIONS.keys()].join(', ')}.`);
  }
  if (!isInteger(version)) throw refusal(`${start} Version must be a valid integer.`);
  if (version < versions.oldest) {
    throw refusal(
      `${start} Version ${version} of command ${printClause(command)} is retired. The minimum supported version is ${versions.oldest}.`,
    );
  }
  return { command, certname, version: Number(version) };
}

/** Texts that Java's `Double.parseDouble` takes, apart from hexadecimal numbers. */
const JAVA_DOUBLE = /^[-+]?(?:NaN|Infinity|(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?[fd]?)$/i;

/** Refuses, in Java's words, what is no number. */
function readSeconds(parameters: CommandParameters): number {
  const value = parameters.get('secondsToWaitForCompletion');
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
