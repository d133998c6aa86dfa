import type { CleaningStep, InventoryAdministration } from '../../../inventory/commands/administration.ts';
import { isJsonObject } from '../../../util/json-object.ts';
import { BODIES } from '../../body/body-kinds.ts';
import {
  type InventoryAnswer,
  type InventoryHttpRequest,
  InventoryRefusal,
  jsonAnswer,
  textAnswer,
} from '../../exchange/inventory-exchange.ts';
import { isNotJson } from '../../exchange/request-body.ts';
import { type ArchiveServices, InventoryArchives } from './inventory-archives.ts';

/** PuppetDB's administration API: commands, statistics for its support scripts, and archives. */
const ADMINISTRATION = '/pdb/admin/v1';
const NO_ADMINISTRATION =
  'This inventory has no administration API. Its status is at /status/v1/services; back it up with its database.';
const STEPS: readonly string[] = [
  'expire_nodes',
  'purge_nodes',
  'purge_reports',
  'gc_packages',
  'other',
] satisfies readonly CleaningStep[];

const archives = new InventoryArchives();

/** Whether a request with this path administers the inventory. */
export function isAdministrationPath(path: string): boolean {
  return path === ADMINISTRATION || path.startsWith(`${ADMINISTRATION}/`);
}

/** Whether a request with this path is about archives. */
export function isArchivePath(path: string): boolean {
  return path === `${ADMINISTRATION}/archive`;
}

/** Answers `/pdb/admin/v1/cmd`, `summary-stats` and `archive`. */
export async function answerAdministration(
  request: InventoryHttpRequest,
  administration: InventoryAdministration | null,
  services: ArchiveServices,
): Promise<InventoryAnswer> {
  if (administration === null) return textAnswer(501, NO_ADMINISTRATION);
  const { method, path } = request;
  switch (`${method} ${path.slice(ADMINISTRATION.length)}`) {
    case 'POST /cmd':
      return runCommand(await readObject(request), administration);
    case 'GET /summary-stats':
      return jsonAnswer(200, await administration.summarize());
    case 'GET /archive':
      return archives.export(request, services);
    case 'POST /archive':
      return archives.import(request, services);
    default:
      return textAnswer(404, 'Not Found');
  }
}

async function runCommand(
  { command, version, payload }: Readonly<Record<string, unknown>>,
  administration: InventoryAdministration,
): Promise<InventoryAnswer> {
  if (version !== 1 || (command !== 'clean' && command !== 'delete')) {
    throw refusal(`The command must be clean or delete, version 1, not ${JSON.stringify([command, version])}`);
  }
  if (command === 'delete') {
    const certname = isJsonObject(payload) ? payload.certname : undefined;
    if (typeof certname !== 'string' || certname.trim() === '' || certname.includes('\u0000')) {
      throw refusal('The payload of delete must be {"certname": NAME}');
    }
    await administration.deleteNode(certname);
    return jsonAnswer(200, JSON.stringify({ deleted: certname }));
  }
  if (await administration.clean(readSteps(payload))) return jsonAnswer(200, '{"ok":true}');
  const busy = { kind: 'conflict', msg: 'Another cleanup is already in progress', details: null };
  return jsonAnswer(409, JSON.stringify(busy));
}

/** A step is a name, or a name with options, as `["purge_nodes", {"batch_limit": 50}]`. */
function readSteps(payload: unknown): readonly CleaningStep[] {
  const given: readonly unknown[] = Array.isArray(payload) ? payload : [payload];
  const names = given.map((one) => (Array.isArray(one) ? one[0] : one));
  const unknown = names.filter((name) => !STEPS.includes(String(name)));
  if (unknown.length > 0 || !Array.isArray(payload)) {
    throw refusal(`The payload of clean must be a list of ${STEPS.join(', ')}, not ${JSON.stringify(payload ?? null)}`);
  }
  return names.map((name) => String(name) as CleaningStep);
}

async function readObject(request: InventoryHttpRequest): Promise<Readonly<Record<string, unknown>>> {
  const { depth, values } = BODIES.command;
  const text = await request
    .readBody(BODIES.command, 'checkJson', { depth, values, mayBeEmpty: false })
    .catch((error: unknown) => {
      throw isNotJson(error) ? refusal(`The request body must be JSON: ${error.json.reason}`) : error;
    });
  const parsed: unknown = JSON.parse(String(text));
  if (isJsonObject(parsed)) return parsed;
  throw refusal('The request body must be a JSON map');
}

function refusal(message: string): InventoryRefusal {
  return new InventoryRefusal(jsonAnswer(400, JSON.stringify({ error: message })));
}
