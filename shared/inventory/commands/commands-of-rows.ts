import type { InventoryCommand } from './apply-command.ts';
import { isWireMap, type WireMap, writeWireJson } from './wire-json.ts';

/** `replace facts` from a row of `/factsets`. */
export function importFactset(row: WireMap): InventoryCommand {
  const { certname, environment, producer, producer_timestamp, package_inventory } = row;
  const facts = listData(row.facts).filter(isWireMap);
  const values = Object.fromEntries(facts.map(({ name, value }) => [String(name), value ?? null]));
  const packages = Array.isArray(package_inventory) && package_inventory.length > 0 ? { package_inventory } : {};
  const payload = { certname, environment, producer, producer_timestamp, values, ...packages };
  return createCommand('replace facts', 5, payload);
}

/** `replace catalog` from a row of `/catalogs`. */
export function importCatalog(row: WireMap): InventoryCommand {
  const { certname, version, environment, transaction_uuid, catalog_uuid, code_id, job_id } = row;
  const { producer, producer_timestamp } = row;
  const resources = listData(row.resources).filter(isWireMap).map(readResource);
  const names = new Set(resources.map(({ type, title }) => `${type}[${title}]`));
  const isKnown = ({ type, title }: WireMap) => names.has(`${type}[${title}]`);
  const edges = listData(row.edges)
    .filter(isWireMap)
    .map(readEdge)
    .filter(({ source, target }) => isKnown(source) && isKnown(target));
  const origin = { certname, version, environment, transaction_uuid, catalog_uuid, code_id, job_id: job_id ?? null };
  return createCommand('replace catalog', 9, { ...origin, producer, producer_timestamp, resources, edges });
}

function readResource({ type, title, tags, exported, file, line, parameters }: WireMap) {
  return { type, title, tags, exported, file, line, parameters: parameters ?? {} };
}

function readEdge(edge: WireMap) {
  return {
    source: { type: edge.source_type, title: edge.source_title },
    target: { type: edge.target_type, title: edge.target_title },
    relationship: edge.relationship,
  };
}

/** Columns of a report that the command has as they are. */
const REPORT_FIELDS = [
  ...['certname', 'puppet_version', 'report_format', 'configuration_version', 'producer_timestamp', 'start_time'],
  ...['end_time', 'environment', 'transaction_uuid', 'status', 'noop', 'noop_pending', 'corrective_change'],
  ...['catalog_uuid', 'code_id', 'job_id', 'cached_catalog_status', 'producer', 'type'],
];

/** `store report` from a row of `/reports`. */
export function importReport(row: WireMap): InventoryCommand {
  const fields = Object.fromEntries(REPORT_FIELDS.map((name) => [name, row[name] ?? null]));
  const type = row.type === 'plan' ? 'plan' : 'agent';
  const [logs, metrics] = [listData(row.logs), listData(row.metrics)];
  const events = listData(row.resource_events).filter(isWireMap);
  const byResource = Map.groupBy(
    events,
    (event) => `${event.resource_type}[${event.resource_title}] ${event.status === 'skipped'}`,
  );
  return createCommand('store report', 8, {
    ...fields,
    type,
    logs,
    metrics,
    resources: [...byResource.values()].map(readEvents),
  });
}

/** A resource of a report, from its events. */
function readEvents(events: readonly WireMap[]): WireMap {
  const [first = {}] = events;
  const { resource_type, resource_title, file, line, containment_path, timestamp, corrective_change = null } = first;
  const skipped = first.status === 'skipped';
  return {
    ...{ skipped, timestamp, resource_type, resource_title, file, line, corrective_change },
    containment_path: containment_path ?? [],
    events: skipped ? [] : events.map(readEvent),
  };
}

function readEvent({ status, timestamp, name, property, new_value, old_value, message, corrective_change }: WireMap) {
  return {
    status,
    timestamp,
    name: name ?? null,
    property,
    new_value,
    old_value,
    message,
    corrective_change: corrective_change ?? null,
  };
}

/** `replace catalog inputs` from a row of `/catalog-inputs`. */
export function importCatalogInputs({ certname, catalog_uuid, producer_timestamp, inputs }: WireMap): InventoryCommand {
  return createCommand('replace catalog inputs', 1, { certname, catalog_uuid, producer_timestamp, inputs });
}

/**
 * `configure expiration` from a row of `/nodes` with its expiration; none where it was never set.
 */
export function importExpiration(row: WireMap): readonly InventoryCommand[] {
  const { certname, expires_facts: facts, expires_facts_updated: producer_timestamp } = row;
  if ((producer_timestamp ?? null) === null || typeof facts !== 'boolean') return [];
  return [createCommand('configure expiration', 1, { certname, producer_timestamp, expire: { facts } })];
}

/** `deactivate node` of a row of `/nodes`; null for an active node. */
export function importDeactivation({ certname, deactivated }: WireMap): InventoryCommand | null {
  if ((deactivated ?? null) === null) return null;
  return createCommand('deactivate node', 3, { certname, producer_timestamp: deactivated });
}

function createCommand(command: string, version: number, payload: WireMap): InventoryCommand {
  return { command, version, certname: String(payload.certname), payload: writeWireJson(payload) };
}

/** The rows of an expanded member: `{"data": […], "href": …}`. */
function listData(member: unknown): readonly unknown[] {
  const data = isWireMap(member) ? member.data : member;
  return Array.isArray(data) ? data : [];
}
