import type { InventoryAdministration, Population } from '../../../inventory/commands/administration.ts';
import type { InventoryReader } from '../../../inventory/query/inventory-reader.ts';
import type { Clock } from '../../../store/ports/clock.ts';
import {
  type InventoryAnswer,
  type InventoryHttpRequest,
  jsonAnswer,
  textAnswer,
} from '../../exchange/inventory-exchange.ts';

interface MetricsServices {
  readonly administration: InventoryAdministration;
  readonly reader: Pick<InventoryReader, 'countQueued'>;
  readonly clock: Clock;
}

/** The population is counted at most so often: it reads all catalogs' resources. */
const KEPT_MS = 60_000;
const POPULATION = 'puppetlabs.puppetdb.population';
const QUEUE = 'puppetlabs.puppetdb.mq';
const MEMORY = 'java.lang:type=Memory';
const VERSION = { agent: '1.6.2', protocol: '7.2' };

type Counted = Promise<{ readonly at: number; readonly population: Population }>;
const counted = new WeakMap<InventoryAdministration, Counted>();

/**
 * Answers `/metrics/v2` in the form of Jolokia, with the metrics that Puppetboard and monitoring
 * scripts read, under PuppetDB's names; 404 for `/metrics/v1`, as PuppetDB.
 */
export async function answerMetrics(
  { path, method }: Pick<InventoryHttpRequest, 'path' | 'method'>,
  services: MetricsServices,
): Promise<InventoryAnswer> {
  const [, verb = 'version', name] = /^\/metrics\/v2(?:\/([^/]+)(?:\/(.+))?)?\/?$/.exec(path) ?? [null, ''];
  if (verb === '' || method !== 'GET') return textAnswer(404, 'Not Found');
  const timestamp = Math.floor(services.clock.now() / 1000);
  const send = (request: object, value: unknown) =>
    jsonAnswer(200, JSON.stringify({ request, value, timestamp, status: 200 }));
  if (verb === 'version') return send({ type: 'version' }, VERSION);
  const beans = await readBeans(services);
  if (verb === 'list') return send({ type: 'list' }, listBeans(beans));
  const mbean = decodeURIComponent(name ?? '');
  if (verb === 'read' && beans.has(mbean)) return send({ mbean, type: 'read' }, beans.get(mbean));
  const error = `javax.management.InstanceNotFoundException : No MBean with the name ${mbean}`;
  return jsonAnswer(200, JSON.stringify({ request: { mbean, type: verb }, error, status: 404 }));
}

/** The attributes of each bean. */
async function readBeans(services: MetricsServices): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> {
  const { nodes, resources, resourcesPerNode, duplicates } = await readPopulation(services);
  const memory = process.memoryUsage();
  return new Map<string, Readonly<Record<string, unknown>>>([
    [`${POPULATION}:name=num-nodes`, { Value: nodes }],
    [`${POPULATION}:name=num-resources`, { Value: resources }],
    [`${POPULATION}:name=avg-resources-per-node`, { Value: resourcesPerNode }],
    [`${POPULATION}:name=pct-resource-dupes`, { Value: duplicates }],
    [`${QUEUE}:name=global.depth`, { Count: (await services.reader.countQueued()) ?? 0 }],
    [MEMORY, { HeapMemoryUsage: { used: memory.heapUsed, committed: memory.heapTotal, max: memory.rss } }],
  ]);
}

async function readPopulation({ administration, clock }: MetricsServices): Promise<Population> {
  const known = await counted.get(administration)?.catch(() => null);
  if (known && clock.now() - known.at < KEPT_MS) return known.population;
  const reading = administration.readPopulation().then((population) => ({ at: clock.now(), population }));
  counted.set(administration, reading);
  return (await reading).population;
}

/** `{DOMAIN: {"name=…": {attr}}}`. */
function listBeans(beans: ReadonlyMap<string, Readonly<Record<string, unknown>>>) {
  const domains: Record<string, Record<string, unknown>> = {};
  for (const [bean, values] of beans) {
    const at = bean.indexOf(':');
    const attributes = Object.keys(values).map((name) => [name, { rw: false, type: 'java.lang.Object', desc: '' }]);
    domains[bean.slice(0, at)] = {
      ...domains[bean.slice(0, at)],
      [bean.slice(at + 1)]: { attr: Object.fromEntries(attributes) },
    };
  }
  return domains;
}
