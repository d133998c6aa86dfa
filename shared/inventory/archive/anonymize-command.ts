import type { InventoryCommand } from '../commands/apply-command.ts';
import { isWireMap, readWireJson, type WireMap, writeWireJson } from '../commands/wire-json.ts';
import { isSecretName, type ValueKind, type ValuePlace } from './anonymization-profiles.ts';
import type { Anonymizer } from './anonymizer.ts';

type Work = (anonymizer: Anonymizer, payload: WireMap) => WireMap;

const REFERENCES = new Set(['require', 'before', 'notify', 'subscribe']);
const TITLES = new Set(['alias', 'stage', 'tag']);
const REFERENCE = /^([A-Za-z_][\w:]*)\[(.+)\]$/s;
/** A part of the source of a log: a reference, the name of a class, or that of a property. */
const SOURCE_PART = /(?<=^|\/)(?:[A-Z][\w:]*\[.*?\](?=\/|$)|[A-Z][\w:]*(?=\/|$)|[a-z_]\w*$)/gs;

const COMMANDS: Readonly<Record<string, Work>> = {
  'configure expiration': (_, payload) => payload,
  'replace facts': anonymizeFacts,
  'replace catalog': anonymizeCatalog,
  'replace catalog inputs': anonymizeInputs,
  'store report': anonymizeReport,
};

/** A command of an export with replaced values; names that agree in commands still do. */
export function anonymizeCommand(anonymizer: Anonymizer, given: InventoryCommand): InventoryCommand {
  const { command, version } = given;
  const [payload, work] = [readWireJson(given.payload), COMMANDS[command]];
  if (!isWireMap(payload) || work === undefined) throw new Error(`invariant: ${command} has a form that is known`);
  const changed = { ...anonymizeOrigin(anonymizer, payload), ...work(anonymizer, payload) };
  const certname = anonymizer.text('node', given.certname);
  return { command, version, certname, payload: writeWireJson({ ...changed, certname }) };
}

/** The members that commands share. A version of code often names its environment. */
// Differs from Puppet: producers, versions of code and the ids of catalogs are replaced, too.
function anonymizeOrigin(anonymizer: Anonymizer, payload: WireMap): WireMap {
  const kinds: Readonly<Record<string, ValueKind>> = {
    ...{ producer: 'node', environment: 'environment', version: 'environment', configuration_version: 'environment' },
    ...{ code_id: 'environment', transaction_uuid: 'transaction', catalog_uuid: 'transaction', job_id: 'transaction' },
  };
  const found = Object.entries(kinds).filter(([name]) => Object.hasOwn(payload, name));
  return {
    ...payload,
    ...Object.fromEntries(found.map(([name, kind]) => [name, anonymizer.member(kind, payload[name])])),
  };
}

function anonymizeFacts(anonymizer: Anonymizer, { values, package_inventory: packages }: WireMap): WireMap {
  const facts = { values: isWireMap(values) ? anonymizeFactValues(anonymizer, values) : values };
  return Array.isArray(packages) ? { ...facts, package_inventory: packages.map(anonymizePackage(anonymizer)) } : facts;
}

/** `prefix`: the name of a fact around, if that says that all in it is secret. */
function anonymizeFactValues(anonymizer: Anonymizer, values: WireMap, prefix = ''): WireMap {
  const members = Object.entries(values).map(([name, value]) => {
    const place = { name: `${prefix}${name}` };
    const isNested = isWireMap(value) && Object.keys(value).length > 0;
    return [
      anonymizer.text('fact-name', name, place),
      isNested
        ? anonymizeFactValues(anonymizer, value, isSecretName(place.name) ? `${place.name}.` : '')
        : anonymizer.value('fact-value', value, place),
    ] as const;
  });
  return Object.fromEntries(members);
}

/** `[name, version, provider]` is a title, and two parameters. */
function anonymizePackage(anonymizer: Anonymizer) {
  const type = 'Package';
  return (one: unknown) => {
    if (!Array.isArray(one)) return one;
    const [name, version, provider] = one;
    return [
      anonymizer.member('title', name, { type }),
      anonymizer.member('parameter-value', version, { type, name: 'ensure' }),
      anonymizer.member('parameter-value', provider, { type, name: 'provider' }),
    ];
  };
}

function anonymizeCatalog(anonymizer: Anonymizer, { resources, edges }: WireMap): WireMap {
  return {
    resources: listMaps(resources).map((resource) => anonymizeResource(anonymizer, resource)),
    edges: listMaps(edges).map((edge) => ({
      ...edge,
      source: anonymizeEnd(anonymizer, edge.source),
      target: anonymizeEnd(anonymizer, edge.target),
    })),
  };
}

function anonymizeResource(anonymizer: Anonymizer, resource: WireMap): WireMap {
  const parameters = isWireMap(resource.parameters) ? resource.parameters : {};
  const type = String(resource.type);
  return {
    ...resource,
    ...anonymizeEnd(anonymizer, resource),
    ...anonymizeLocation(anonymizer, resource),
    tags: listTexts(resource.tags).map((tag) => anonymizer.tag(tag)),
    parameters: Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => anonymizeParameter(anonymizer, { type, name }, value)),
    ),
  };
}

function anonymizeLocation(anonymizer: Anonymizer, { file, line }: WireMap): WireMap {
  return { file: anonymizer.member('file', file), line: anonymizer.member('line', line) };
}

function anonymizeEnd(anonymizer: Anonymizer, end: unknown): WireMap {
  const { type, title } = isWireMap(end) ? end : {};
  const place = { type: String(type) };
  return { type: anonymizer.text('type', String(type), place), title: anonymizer.text('title', String(title), place) };
}

function anonymizeParameter(
  anonymizer: Anonymizer,
  place: ValuePlace & { readonly name: string },
  value: unknown,
): readonly [string, unknown] {
  const { name } = place;
  if (REFERENCES.has(name)) return [name, mapTexts(value, (text) => anonymizeReference(anonymizer, text))];
  if (TITLES.has(name)) return [name, mapTexts(value, (text) => anonymizer.text('title', text, place))];
  return [anonymizer.text('parameter-name', name, place), anonymizer.value('parameter-value', value, place)];
}

function anonymizeReference(anonymizer: Anonymizer, text: string): string {
  const [, type, title] = REFERENCE.exec(text) ?? [];
  if (type === undefined || title === undefined) return anonymizer.text('title', text, { type: 'Class' });
  const end = anonymizeEnd(anonymizer, { type, title });
  return `${end.type}[${end.title}]`;
}

function anonymizeInputs(anonymizer: Anonymizer, { inputs }: WireMap): WireMap {
  const pairs = Array.isArray(inputs) ? inputs : [];
  return {
    inputs: pairs.map((pair) =>
      Array.isArray(pair)
        ? [anonymizer.member('input-type', pair[0]), anonymizer.member('input-value', pair[1])]
        : anonymizer.member('input-value', pair),
    ),
  };
}

function anonymizeReport(anonymizer: Anonymizer, { resources, metrics, logs }: WireMap): WireMap {
  return {
    resources: listMaps(resources).map((resource) => anonymizeReported(anonymizer, resource)),
    metrics: listMaps(metrics).map((metric) =>
      metric.category === 'time' ? { ...metric, name: anonymizer.tag(String(metric.name)) } : metric,
    ),
    logs: listMaps(logs).map((log) => ({
      ...log,
      ...anonymizeLocation(anonymizer, log),
      message: anonymizer.member('log-message', log.message),
      source: typeof log.source === 'string' ? anonymizeSource(anonymizer, log.source) : log.source,
      tags: listTexts(log.tags).map((tag) => anonymizer.tag(tag)),
    })),
  };
}

function anonymizeReported(anonymizer: Anonymizer, resource: WireMap): WireMap {
  const { resource_type, resource_title, containment_path, events } = resource;
  const type = String(resource_type);
  const end = anonymizeEnd(anonymizer, { type, title: resource_title });
  return {
    ...resource,
    ...anonymizeLocation(anonymizer, resource),
    resource_type: end.type,
    resource_title: end.title,
    containment_path: listTexts(containment_path).map((part) => anonymizeReference(anonymizer, part)),
    events: listMaps(events).map((event) => {
      const place = { type, ...(typeof event.property === 'string' ? { name: event.property } : {}) };
      return {
        ...event,
        name: anonymizer.member('message', event.name, place),
        message: anonymizer.member('message', event.message, place),
        property: anonymizer.member('parameter-name', event.property, place),
        new_value: anonymizer.value('parameter-value', event.new_value, place),
        old_value: anonymizer.value('parameter-value', event.old_value, place),
      };
    }),
  };
}

/** A path of references, classes and a property; anything else in it counts as a title. */
function anonymizeSource(anonymizer: Anonymizer, source: string): string {
  let end = 0;
  let changed = '';
  const other = (text: string) => text.replace(/[^/]+/g, (part) => anonymizer.text('title', part, { type: 'Class' }));
  for (const { 0: part, index } of source.matchAll(SOURCE_PART)) {
    changed += other(source.slice(end, index)) + anonymizeSourcePart(anonymizer, part);
    end = index + part.length;
  }
  return changed + other(source.slice(end));
}

function anonymizeSourcePart(anonymizer: Anonymizer, part: string): string {
  if (part.endsWith(']')) return anonymizeReference(anonymizer, part);
  if (/^[a-z_]/.test(part)) return anonymizer.text('parameter-name', part, { name: part });
  return anonymizer.text('title', part, { type: 'Class' });
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  return Array.isArray(value) ? value.map((one) => mapTexts(one, change)) : value;
}

function listMaps(value: unknown): readonly WireMap[] {
  return Array.isArray(value) ? value.filter(isWireMap) : [];
}

function listTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
