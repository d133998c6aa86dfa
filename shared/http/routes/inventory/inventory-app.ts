import { QueryFailed, QueryRefused } from '../../../inventory/ast/query-error.ts';
import type { InventoryAdministration } from '../../../inventory/commands/administration.ts';
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
import { DamagedArchive } from '../../../util/tar-stream.ts';
import { BodyRefused } from '../../body/body-kinds.ts';
import {
  checkFormats,
  type InventoryAnswer,
  type InventoryHttpRequest,
  InventoryRefusal,
  jsonAnswer,
  textAnswer,
} from '../../exchange/inventory-exchange.ts';
import { answerAdministration, isAdministrationPath } from './inventory-administration-endpoint.ts';
import { answerInventoryCommand, isCommandPath } from './inventory-command-endpoint.ts';
import { answerMetrics } from './inventory-metrics-endpoint.ts';
import { answerInventoryQuery } from './inventory-query-endpoint.ts';
import { answerStatus, PUPPETDB_VERSION } from './inventory-status-endpoint.ts';

/** PostgreSQL's code for a regular expression that is none. */
const INVALID_EXPRESSION = '2201B';

/** PuppetDB's page, which is not here: unknown paths lead to it. */
const DASHBOARD = '/pdb/dashboard';

/** Services of the inventory's routes. */
export interface InventoryServices {
  readonly reader: InventoryReader;
  /** Null: commands are taken elsewhere. */
  readonly queue: CommandQueue | null;
  readonly clock: Clock;
  /** Absent: nobody administers it here. */
  readonly administration?: InventoryAdministration;
  /** Receives faults that are no user's mistake. */
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
  if (isCommandPath(path) && queue !== null) return answerInventoryCommand(request, queue, clock);
  const query = below('/pdb/query/v4');
  const answer = query === null ? null : await answerInventoryQuery(request, query, services.reader);
  if (answer !== null) return answer;
  const { administration = null } = services;
  if (isAdministrationPath(path)) return answerAdministration(request, administration, services);
  // Without TLS, PuppetDB refuses all metrics.
  if (path.startsWith('/metrics/') && administration !== null && request.origin.startsWith('https:')) {
    return answerMetrics(request, { administration, reader: services.reader, clock });
  }
  const retired = /^\/pdb\/query\/(v[123])(?:\/|$)/.exec(path)?.[1];
  if (retired !== undefined) return textAnswer(404, `The ${retired} API has been retired; please use v4`);
  return answerMeta(request, services) ?? (await answerStatus(request, services.reader)) ?? answerOther(request);
}

function answerMeta(request: InventoryHttpRequest, services: InventoryServices): InventoryAnswer | null {
  const answer = describeServer(request.path, services);
  if (answer === null) return null;
  checkFormats({ ...request, method: 'GET' });
  const [parameter] = request.parameters.keys();
  return parameter === undefined ? answer : textAnswer(400, `Unsupported query parameter '${parameter}'`);
}

function describeServer(path: string, { clock }: InventoryServices): InventoryAnswer | null {
  const json = (data: unknown) => jsonAnswer(200, JSON.stringify(data));
  switch (path) {
    case '/pdb/meta/v1/version':
      return json({ version: PUPPETDB_VERSION });
    case '/pdb/meta/v1/version/latest':
      return json({ newer: false, version: PUPPETDB_VERSION, link: null });
    case '/pdb/meta/v1/server-time':
      return json({ server_time: new Date(clock.now()).toISOString() });
    default:
      return null;
  }
}

function answerOther({ path, method, origin }: InventoryHttpRequest): InventoryAnswer {
  if (path.startsWith('/metrics/')) {
    const body = `Forbidden request: ${path} (method :${method.toLowerCase()}). Please see the server logs for details.`;
    return { status: 403, headers: {}, body };
  }
  if (path === '/') return { status: 302, headers: { Location: `${DASHBOARD}/index.html` }, body: '' };
  const isOfPage = path === DASHBOARD || path.startsWith(`${DASHBOARD}/`);
  if (!isOfPage && (path === '/pdb' || path.startsWith('/pdb/'))) {
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
  if (error instanceof BodyRefused) return textAnswer(error.status, error.message);
  if (error instanceof QueryFailed) return textAnswer(500, error.message);
  if (error instanceof DatabaseError) {
    if (error.isFault) reportFault(error);
    return textAnswer(error.code === INVALID_EXPRESSION ? 400 : 500, error.message);
  }
  if (error instanceof StatementTimedOut) return textAnswer(500, error.message);
  if (error instanceof DatabaseUnavailable) return textAnswer(503, error.message);
  if (error instanceof QueueFull) return refuseForNow(error, clock);
  if (error instanceof DamagedArchive) return textAnswer(400, error.message);
  if (error instanceof RangeError) return textAnswer(400, 'The query is nested too deeply');
  reportFault(error);
  return textAnswer(500, 'An unexpected error occurred while processing the request');
}

/** Senders come again at different times. */
function refuseForNow({ message }: QueueFull, clock: Clock): InventoryAnswer {
  const answer = textAnswer(503, message);
  return { ...answer, headers: { ...answer.headers, 'Retry-After': String(10 + Math.floor(20 * clock.random())) } };
}
