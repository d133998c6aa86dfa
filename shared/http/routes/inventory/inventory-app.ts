import { QueryFailed, QueryRefused } from '../../../inventory/ast/query-error.ts';
import type { CommandQueue } from '../../../inventory/commands/command-queue.ts';
import { QueueFull } from '../../../inventory/commands/queue-room.ts';
import {
  DatabaseError,
  DatabaseUnavailable,
  StatementTimedOut,
  TooManyRows,
  TooMuchMemory,
} from '../../../inventory/database/inventory-database.ts';
import type { InventoryReader } from '../../../inventory/query/inventory-reader.ts';
import type { Clock } from '../../../store/ports/clock.ts';
import {
  BodyTooLarge,
  checkFormats,
  type InventoryAnswer,
  type InventoryHttpRequest,
  InventoryRefusal,
  jsonAnswer,
  textAnswer,
} from '../../exchange/inventory-exchange.ts';
import { answerInventoryCommand } from './inventory-command-endpoint.ts';
import { answerInventoryQuery } from './inventory-query-endpoint.ts';

/** The release of PuppetDB whose API this is; clients compare it. */
const PUPPETDB_VERSION = '7.12.1';
/** PostgreSQL's code for a regular expression that is none. */
const INVALID_EXPRESSION = '2201B';

/** What the inventory's routes need. */
export interface InventoryServices {
  readonly reader: InventoryReader;
  /** Null: commands are taken elsewhere. */
  readonly queue: CommandQueue | null;
  readonly clock: Clock;
  /** Told of faults that are no user's mistake. */
  reportFault(error: unknown): void;
}

/** Answers a request as PuppetDB does: `/pdb/query/v4`, `/pdb/cmd/v1`, `/pdb/meta/v1`, status. */
export async function answerInventory(
  request: InventoryHttpRequest,
  services: InventoryServices,
): Promise<InventoryAnswer> {
  try {
    return await route(request, services);
  } catch (error) {
    return explain(error, services);
  }
}

async function route(request: InventoryHttpRequest, services: InventoryServices): Promise<InventoryAnswer> {
  const { path } = request;
  const { queue, clock } = services;
  const below = (prefix: string) =>
    path === prefix || path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : null;
  if (path === '/pdb/cmd/v1' && queue !== null) return answerInventoryCommand(request, queue, clock);
  const query = below('/pdb/query/v4');
  const answer = query === null ? null : await answerInventoryQuery(request, query, services.reader);
  if (answer !== null) return answer;
  const retired = /^\/pdb\/query\/(v[123])(?:\/|$)/.exec(path)?.[1];
  if (retired !== undefined) return textAnswer(404, `The ${retired} API has been retired; please use v4`);
  return (await answerMeta(request, services)) ?? answerOther(request);
}

async function answerMeta(request: InventoryHttpRequest, services: InventoryServices): Promise<InventoryAnswer | null> {
  const answer = await describeServer(request.path, services);
  if (answer === null) return null;
  if (!request.path.startsWith('/pdb/meta/')) return answer;
  checkFormats({ ...request, method: 'GET' });
  const [parameter] = request.parameters.keys();
  return parameter === undefined ? answer : textAnswer(400, `Unsupported query parameter '${parameter}'`);
}

async function describeServer(path: string, { reader, clock }: InventoryServices): Promise<InventoryAnswer | null> {
  const json = (data: unknown) => jsonAnswer(200, JSON.stringify(data));
  switch (path) {
    case '/pdb/meta/v1/version':
      return json({ version: PUPPETDB_VERSION });
    case '/pdb/meta/v1/version/latest':
      return json({ newer: false, version: PUPPETDB_VERSION, link: null });
    case '/pdb/meta/v1/server-time':
      return json({ server_time: new Date(clock.now()).toISOString() });
    case '/status/v1/services/puppetdb-status':
      return json(describeStatus(await reader.countQueued()));
    default:
      return null;
  }
}

function describeStatus(queued: number | null): unknown {
  const isUp = queued !== null;
  return {
    service_version: PUPPETDB_VERSION,
    service_status_version: 1,
    detail_level: 'info',
    state: isUp ? 'running' : 'error',
    status: {
      'maintenance_mode?': false,
      queue_depth: queued ?? 0,
      'read_db_up?': isUp,
      'write_db_up?': isUp,
      'write_dbs_up?': isUp,
      write_db: { default: { 'up?': isUp } },
    },
    active_alerts: [],
    service_name: 'puppetdb-status',
  };
}

function answerOther({ path, method, origin }: InventoryHttpRequest): InventoryAnswer {
  const service = /^\/status\/v1\/services\/([^/]+)$/.exec(path)?.[1];
  if (service !== undefined) {
    const msg = `No status information found for service ${service}`;
    return jsonAnswer(404, JSON.stringify({ kind: 'service-not-found', msg }));
  }
  if (path.startsWith('/metrics/')) {
    const body = `Forbidden request: ${path} (method :${method.toLowerCase()}). Please see the server logs for details.`;
    return { status: 403, headers: {}, body };
  }
  if (path === '/pdb' || path.startsWith('/pdb/')) {
    return { status: 302, headers: { Location: `${origin}${path}/dashboard/index.html` }, body: '' };
  }
  const body = `{\n"message":"Not Found",\n"url":${JSON.stringify(path)},\n"status":"404"\n}`;
  return { status: 404, headers: { 'Content-Type': 'application/json' }, body };
}

/** The query asks for what it does not get, however often it comes. */
const MISTAKES = [QueryRefused, TooManyRows, TooMuchMemory];

function explain(error: unknown, { reportFault, clock }: InventoryServices): InventoryAnswer {
  if (error instanceof InventoryRefusal) return error.answer;
  if (MISTAKES.some((kind) => error instanceof kind)) return textAnswer(400, (error as Error).message);
  if (error instanceof BodyTooLarge) return textAnswer(413, error.message);
  if (error instanceof QueryFailed) return textAnswer(500, error.message);
  if (error instanceof DatabaseError) return textAnswer(error.code === INVALID_EXPRESSION ? 400 : 500, error.message);
  if (error instanceof StatementTimedOut) return textAnswer(500, error.message);
  if (error instanceof DatabaseUnavailable) return textAnswer(503, error.message);
  if (error instanceof QueueFull) return refuseForNow(error, clock);
  if (error instanceof RangeError) return textAnswer(400, 'The query is nested too deeply');
  reportFault(error);
  return textAnswer(500, 'An unexpected error occurred while processing the request');
}

/** Senders come again at different times. */
function refuseForNow({ message }: QueueFull, clock: Clock): InventoryAnswer {
  const answer = textAnswer(503, message);
  return { ...answer, headers: { ...answer.headers, 'Retry-After': String(10 + Math.floor(20 * clock.random())) } };
}
