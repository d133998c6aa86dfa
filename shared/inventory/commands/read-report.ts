import {
  InvalidPayload,
  optionalBoolean,
  optionalInteger,
  optionalText,
  optionalUuid,
  requireList,
  requireMap,
  requireText,
  requireTexts,
  requireWireTime,
} from './payload.ts';
import { identify, type WireMap, writeSortedJson } from './wire-json.ts';

/** An event of one property of a resource in a report. Values are JSON texts. */
interface ReportEvent {
  readonly status: string;
  readonly timestamp: string;
  readonly resource_type: string;
  readonly resource_title: string;
  readonly property: string | null;
  readonly name: string | null;
  readonly new_value: string;
  readonly old_value: string;
  readonly message: string | null;
  readonly file: string | null;
  readonly line: number | null;
  readonly containment_path: readonly string[];
  readonly containing_class: string | null;
}

/** A report as `store report` brings it, in the terms of version 8. */
export interface ReportCommand {
  readonly certname: string;
  readonly hash: string;
  readonly producerTime: string;
  readonly environment: string | null;
  readonly producer: string | null;
  /** The other columns of its row, by name. */
  readonly columns: Readonly<Record<string, string | number | boolean | null>>;
  readonly metrics: unknown;
  readonly logs: unknown;
  readonly events: readonly ReportEvent[];
}

/** Checks the payload of `store report`, versions 5 to 8. Throws InvalidPayload. */
export function readReport(payload: unknown, version: number): ReportCommand {
  const map = requireMap(payload, 'a report');
  const type = optionalText(map, 'type') ?? 'agent';
  if (type !== 'agent' && type !== 'plan') throw new InvalidPayload("'type' must be agent or plan");
  const transaction = optionalUuid(map, 'transaction_uuid');
  const reportFormat = optionalInteger(map, 'report_format');
  if (reportFormat === null) throw new InvalidPayload("'report_format' must be a whole number");
  const identity = {
    puppet_version: requireText(map, 'puppet_version'),
    report_format: reportFormat,
    configuration_version: requireText(map, 'configuration_version'),
    start_time: requireWireTime(map, 'start_time'),
    end_time: requireWireTime(map, 'end_time'),
    transaction_uuid: transaction,
  };
  const certname = requireText(map, 'certname');
  const producerTime = requireWireTime(map, 'producer_timestamp');
  return {
    certname,
    hash: identify({ certname, producerTime, ...identity }),
    producerTime,
    environment: optionalText(map, 'environment'),
    producer: version < 8 ? null : optionalText(map, 'producer'),
    columns: {
      ...identity,
      report_type: type,
      catalog_uuid: version < 7 ? transaction : optionalUuid(map, 'catalog_uuid'),
      code_id: optionalText(map, 'code_id'),
      job_id: optionalText(map, 'job_id'),
      cached_catalog_status: optionalText(map, 'cached_catalog_status'),
      noop: optionalBoolean(map, 'noop'),
      noop_pending: optionalBoolean(map, 'noop_pending'),
      status: optionalText(map, 'status'),
    },
    metrics: requireList(map, 'metrics'),
    logs: requireList(map, 'logs'),
    events: distinct(version < 6 ? readFlatEvents(map) : requireList(map, 'resources').flatMap(readResource)),
  };
}

function readFlatEvents(map: WireMap): readonly ReportEvent[] {
  return requireList(map, 'resource_events').map((value) => {
    const event = requireMap(value, 'an event');
    return readEvent(event, event);
  });
}

/** The events of a resource; one for a skipped resource, none for one that is as it should be. */
function readResource(value: unknown): readonly ReportEvent[] {
  const resource = requireMap(value, 'a resource');
  if (optionalBoolean(resource, 'skipped') === true)
    return [readEvent(resource, { status: 'skipped', ...SKIPPED, timestamp: resource.timestamp })];
  return requireList(resource, 'events').map((event) => readEvent(resource, requireMap(event, 'an event')));
}

const SKIPPED = { property: null, old_value: null, new_value: null, message: null };

function readEvent(resource: WireMap, event: WireMap): ReportEvent {
  const path = requireTexts(Array.isArray(resource.containment_path) ? resource.containment_path : [], 'a path');
  return {
    status: requireText(event, 'status'),
    timestamp: requireWireTime(event, 'timestamp'),
    resource_type: requireText(resource, 'resource_type'),
    resource_title: requireText(resource, 'resource_title'),
    property: optionalText(event, 'property'),
    name: optionalText(event, 'name'),
    new_value: writeSortedJson(event.new_value),
    old_value: writeSortedJson(event.old_value),
    message: optionalText(event, 'message'),
    file: optionalText(resource, 'file'),
    line: optionalInteger(resource, 'line'),
    containment_path: path,
    containing_class: path.findLast((part) => part !== '' && !part.includes('[')) ?? null,
  };
}

function distinct(events: readonly ReportEvent[]): readonly ReportEvent[] {
  const byIdentity = new Map<string, ReportEvent>();
  for (const event of events) {
    const key = identify(event);
    if (!byIdentity.has(key)) byIdentity.set(key, event);
  }
  return [...byIdentity.values()];
}
