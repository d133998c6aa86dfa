import type { InventoryReader } from '../../../inventory/query/inventory-reader.ts';
import {
  type InventoryAnswer,
  type InventoryHttpRequest,
  jsonAnswer,
  textAnswer,
} from '../../exchange/inventory-exchange.ts';

/** The release of PuppetDB whose API this is; clients compare it. */
export const PUPPETDB_VERSION = '7.12.1';

const LEVELS = ['critical', 'info', 'debug'];

interface ServiceStatus {
  readonly service_version: string;
  readonly state: 'running' | 'error';
  readonly status: Readonly<Record<string, unknown>>;
}

/**
 * Answers `/status/v1/services` and `/status/v1/simple`, each with the name of a service or
 * without; null for other paths.
 */
export async function answerStatus(
  { path, parameters }: InventoryHttpRequest,
  reader: Pick<InventoryReader, 'countQueued'>,
): Promise<InventoryAnswer | null> {
  const [, form, name] = /^\/status\/v1\/(services|simple)(?:\/([^/]+))?$/.exec(path) ?? [];
  if (form === undefined) return null;
  const level = parameters.get('level') ?? 'info';
  if (form === 'services' && !LEVELS.includes(level)) return refuse(400, 'data-invalid', `Invalid level: :${level}`);
  const services = await describeServices(reader);
  return form === 'simple' ? answerSimply(services, name) : answerInFull(services, name, level);
}

async function describeServices(
  reader: Pick<InventoryReader, 'countQueued'>,
): Promise<ReadonlyMap<string, ServiceStatus>> {
  const queued = await reader.countQueued();
  const isUp = queued !== null;
  const status = {
    'maintenance_mode?': false,
    queue_depth: queued ?? 0,
    'read_db_up?': isUp,
    'write_db_up?': isUp,
    'write_dbs_up?': isUp,
    write_db: { default: { 'up?': isUp } },
  };
  return new Map([
    ['puppetdb-status', { service_version: PUPPETDB_VERSION, state: isUp ? 'running' : 'error', status }],
    ['status-service', { service_version: '1.1.1', state: 'running', status: {} }],
  ]);
}

/** For health checks: a word, with status 503 unless it is `running`. */
function answerSimply(services: ReadonlyMap<string, ServiceStatus>, name: string | undefined): InventoryAnswer {
  const asked = name === undefined ? [...services.values()] : [services.get(name)];
  if (asked.includes(undefined)) return textAnswer(404, `not found: ${name}`);
  const state = asked.find((service) => service?.state !== 'running')?.state ?? 'running';
  return textAnswer(state === 'running' ? 200 : 503, state);
}

function answerInFull(
  services: ReadonlyMap<string, ServiceStatus>,
  name: string | undefined,
  level: string,
): InventoryAnswer {
  const show = ({ service_version, state, status }: ServiceStatus) => ({
    service_version,
    service_status_version: 1,
    detail_level: level,
    state,
    status,
    active_alerts: [],
  });
  if (name === undefined) {
    const all = Object.fromEntries(Array.from(services, ([one, service]) => [one, show(service)]));
    return jsonAnswer(200, JSON.stringify(all));
  }
  const service = services.get(name);
  if (service === undefined) return refuse(404, 'service-not-found', `No status information found for service ${name}`);
  return jsonAnswer(200, JSON.stringify({ ...show(service), service_name: name }));
}

function refuse(status: number, kind: string, msg: string): InventoryAnswer {
  return jsonAnswer(status, JSON.stringify({ kind, msg }));
}
