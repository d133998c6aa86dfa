import { countUnits } from '../../util/count-units.ts';
import { isJsonRecord, type JsonRecord } from './orchestrator-client.ts';

const NAME_WIDTH = 40;

/** Prints how long an agent took to answer a ping, or why it did not answer. */
export function describePing({ name, milliseconds, reason }: JsonRecord): string {
  const result = typeof milliseconds === 'number' ? `time=${milliseconds} ms` : `no answer: ${reason}`;
  return `${String(name).padEnd(NAME_WIDTH)} ${result}\n`;
}

/** Prints statistics of pings: how many agents answered, and the times that they took. */
export function describePings(items: readonly JsonRecord[]): string {
  const times = items.flatMap(({ milliseconds }) => (typeof milliseconds === 'number' ? [milliseconds] : []));
  const sum = times.reduce((total, one) => total + one, 0);
  const figures =
    times.length === 0
      ? ''
      : ` max: ${Math.max(...times)} ms min: ${Math.min(...times)} ms avg: ${Math.round(sum / times.length)} ms`;
  return `\n---- ping statistics ----\n${times.length} of ${countUnits(items.length, 'agent')} answered${figures}\n`;
}

/** Prints the answer of `GET /agents/:node`: connection, catalog and facts of a node. */
export function describeAgent(agent: JsonRecord): string {
  const catalog = isJsonRecord(agent.catalog) ? agent.catalog : {};
  const rows: readonly (readonly [string, unknown])[] = [
    ['Connected', agent.connected === true ? `yes, since ${agent.timestamp ?? 'an unknown time'}` : 'no'],
    ['Broker', agent.broker],
    ['Known', agent.known === true ? undefined : 'no: it never asked for a catalog'],
    ['Environment', agent.environment],
    ['Last seen', agent.last_seen],
    ['Catalog', catalog.state],
    ['Compiled', catalog.compiled],
    ['Code', catalog.code_id],
    ['Failure', catalog.failure],
    ['Facts', agent.facts_timestamp],
  ];
  const known = rows.filter(([, value]) => value !== undefined && value !== null);
  const head = known.map(([name, value]) => `${`${name}:`.padEnd(14)}${String(value)}\n`).join('');
  const facts = Object.entries(isJsonRecord(agent.facts) ? agent.facts : {}).sort(([left], [right]) =>
    left < right ? -1 : 1,
  );
  const lines = facts.map(
    ([name, value]) => `  ${name} => ${typeof value === 'string' ? value : JSON.stringify(value)}\n`,
  );
  return `${agent.name}\n\n${head}${lines.length === 0 ? '' : `\nFacts:\n${lines.join('')}`}`;
}
