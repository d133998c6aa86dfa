import { DEFAULT_LANGUAGE } from '../../puppet/levels/language.ts';
import type { Broker } from './broker.ts';

/** An answer of the status routes beside the broker. */
interface StatusAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const NAME = 'broker-service';
const LEVELS = ['critical', 'info', 'debug'];

/**
 * Answers `/status/v1/…`, which monitoring asks: `services` and `services/broker-service`, with
 * `level`, and `simple` and `simple/broker-service`. Null for another path.
 */
export function answerBrokerStatus(broker: Broker, url: string): StatusAnswer | null {
  const { pathname, searchParams } = new URL(url, 'https://localhost');
  const [, kind, service] = /^\/status\/v1\/(services|simple)(?:\/([^/]+))?\/?$/.exec(pathname) ?? [];
  if (kind === undefined) return null;
  if (service !== undefined && service !== NAME) return plain(404, 'not found: unknown service');
  const state = broker.isRunning ? 'running' : 'stopping';
  const status = broker.isRunning ? 200 : 503;
  if (kind === 'simple') return plain(status, state);
  const level = searchParams.get('level') ?? 'info';
  if (!LEVELS.includes(level)) return json(400, { kind: 'request-data-invalid', msg: `Invalid level: ${level}` });
  const described = {
    service_version: DEFAULT_LANGUAGE.release,
    service_status_version: 1,
    detail_level: level,
    state,
    status: level === 'critical' ? {} : describe(broker, level),
    active_alerts: [],
  };
  return json(status, service === undefined ? { [NAME]: described } : described);
}

function describe(broker: Broker, level: string): object {
  const { counters, connections } = broker;
  const metrics = { 'puppetlabs.pcp.connections': connections, ...prefix({ ...counters }) };
  return level === 'debug' ? { metrics, memory: process.memoryUsage() } : { metrics };
}

function prefix(counters: Readonly<Record<string, number>>): object {
  return Object.fromEntries(Object.entries(counters).map(([name, value]) => [`puppetlabs.pcp.${name}`, value]));
}

function plain(status: number, body: string): StatusAnswer {
  return { status, type: 'text/plain; charset=utf-8', body };
}

function json(status: number, body: object): StatusAnswer {
  return { status, type: 'application/json; charset=utf-8', body: JSON.stringify(body) };
}
