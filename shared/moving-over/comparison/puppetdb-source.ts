import { ClientError, ServiceUnreachable } from '../../cli/client/client-error.ts';
import { isWireMap, readWireJson, type WireMap, writeWireJson } from '../../inventory/commands/wire-json.ts';
import { toWireCatalog } from '../../inventory/feed/wire-catalog.ts';
import type { ParsedCatalog, ParsedResource } from '../../puppet/catalog/diff-catalogs.ts';
import type { ExportedResource } from '../../puppet/catalog/exported.ts';
import type { InventoryReply } from '../../puppet/compiler/inventory-questions.ts';
import { fromRichValue } from '../../puppet/serialization/from-data.ts';
import { parseJson, printJson } from '../../puppet/serialization/json.ts';
import { toRichData } from '../../puppet/serialization/to-data.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { Value } from '../../puppet/types/values/values.ts';
import type { ExportStore } from '../../store/ports/export-store.ts';
import type { InventoryAnswers } from '../../store/ports/inventory-answers.ts';
import { BoundedCache } from '../../util/bounded-cache.ts';
import { digestSha256 } from '../../util/digest.ts';
import {
  type CatalogSource,
  type KnownNode,
  type NodeSource,
  NodeUnreadable,
  type OwnCatalog,
  splitTrusted,
} from './existing-fleet.ts';
import { dropExportedEdges } from './exported-resources.ts';

/** Reads rows of a PuppetDB, each JSON text. */
interface RowReader {
  readRows(path: string, parameters: Readonly<Record<string, unknown>>): AsyncIterable<string>;
}

const ACTIVE_NODES = 'nodes[certname, catalog_environment, facts_environment] {}';
const USUAL_ENVIRONMENT = 'production';
/** Types whose exports are in memory, and answers to queries of manifests. */
const MOST_KEPT = 200;
const RICH = '"__ptype"';

/** The nodes, catalogs, exports and answers of a PuppetDB. */
export class PuppetdbSource implements NodeSource, CatalogSource {
  readonly #reader: RowReader;
  readonly #environments = new Map<string, string>();
  readonly exports: Pick<ExportStore, 'collect'>;
  readonly inventory: InventoryAnswers;

  constructor(reader: RowReader) {
    this.#reader = reader;
    this.exports = collectFrom(reader);
    this.inventory = answerFrom(reader);
  }

  async listCertnames(): Promise<readonly string[]> {
    for (const row of await readMaps(this.#reader, '', { query: ACTIVE_NODES })) {
      const environment = row.catalog_environment ?? row.facts_environment ?? USUAL_ENVIRONMENT;
      this.#environments.set(String(row.certname), String(environment));
    }
    return [...this.#environments.keys()];
  }

  async readNode(certname: string): Promise<KnownNode> {
    const [row] = await readTexts(this.#reader, '/factsets', { query: ['=', 'certname', certname] });
    const factset = row === undefined ? null : parseJson(row);
    const facts = factset instanceof PuppetHash ? readFactset(factset) : null;
    if (facts === null) throw new NodeUnreadable('PuppetDB has no facts of it');
    const environment = this.#environments.get(certname) ?? USUAL_ENVIRONMENT;
    return { certname, environment, ...splitTrusted(certname, facts) };
  }

  async readCatalog({ certname }: KnownNode): Promise<ParsedCatalog> {
    const [row] = await readMaps(this.#reader, '/catalogs', { query: ['=', 'certname', certname] });
    if (row === undefined) throw new NodeUnreadable('PuppetDB has no catalog of it');
    const edges = listData(row.edges).flatMap((edge) =>
      edge.relationship === 'contains'
        ? [{ source: `${edge.source_type}[${edge.source_title}]`, target: `${edge.target_type}[${edge.target_title}]` }]
        : [],
    );
    return dropExportedEdges({ resources: listData(row.resources).map(readResource), edges, classes: [] });
  }

  /** Puppet: PuppetDB's terminus, `munge_catalog`, which makes rich values strings. */
  toComparable({ catalog, exported }: OwnCatalog): ParsedCatalog {
    const plain = readWireJson(stringifyRich(JSON.stringify(catalog)));
    const origin = { certname: '', environment: '', producer: '', time: '' };
    const wire = toWireCatalog(isWireMap(plain) ? plain : {}, origin, exported.map(withPlainParameters));
    const edges = listData(wire.edges).flatMap(({ source, target, relationship }) =>
      relationship === 'contains' ? [{ source: nameOf(source), target: nameOf(target) }] : [],
    );
    return dropExportedEdges({ resources: listData(wire.resources).map(readResource), edges, classes: [] });
  }
}

const withPlainParameters = (resource: ExportedResource): ExportedResource => {
  const text = stringifyRich(JSON.stringify({ resources: [{ parameters: resource.parameters }] }));
  const [plain] = listData(Object(JSON.parse(text)).resources);
  return { ...resource, parameters: isWireMap(plain?.parameters) ? plain.parameters : {} };
};

/** A catalog's JSON whose rich parameter values are strings. */
function stringifyRich(text: string): string {
  if (!text.includes(RICH)) return text;
  const catalog = parseJson(text);
  const resources = catalog instanceof PuppetHash ? catalog.get('resources') : null;
  for (const resource of Array.isArray(resources) ? resources : []) {
    const parameters = resource instanceof PuppetHash ? resource.get('parameters') : null;
    if (!(resource instanceof PuppetHash) || !(parameters instanceof PuppetHash)) continue;
    resource.set('parameters', PuppetHash.of([...parameters].map(([name, value]) => [name, toPlain(value)] as const)));
  }
  return printJson(catalog);
}

function toPlain(value: Value): Value {
  return toRichData(fromRichValue(value, { takeUnknownTypes: true }), { richData: false });
}

/** Metaparameters whose order says nothing; the terminus sorts them. */
const UNORDERED = ['audit', 'before', 'check', 'notify', 'require', 'subscribe', 'tag'];

/** `alias` is left out: the terminus adds the name of a resource whose title is another. */
function readResource({ type, title, exported, parameters }: WireMap): ParsedResource {
  const given = isWireMap(parameters) ? parameters : {};
  const kept = Object.entries(given).flatMap(([name, value]): (readonly [string, unknown])[] => {
    if (name === 'alias') return [];
    return [[name, UNORDERED.includes(name) && Array.isArray(value) ? value.map(String).sort() : value]];
  });
  const plain: unknown = JSON.parse(writeWireJson(Object.fromEntries(kept)));
  return {
    type: String(type),
    title: String(title),
    exported: exported === true,
    parameters: isWireMap(plain) ? plain : {},
  };
}

function nameOf(name: unknown): string {
  const { type, title } = isWireMap(name) ? name : {};
  return `${type}[${title}]`;
}

function readFactset(factset: PuppetHash): PuppetHash | null {
  const member = factset.get('facts');
  const data = member instanceof PuppetHash ? member.get('data') : member;
  if (!Array.isArray(data) || data.length === 0) return null;
  return PuppetHash.of(
    data.flatMap((fact) =>
      fact instanceof PuppetHash ? [[String(fact.get('name')), sortMembers(fact.get('value') ?? '')] as const] : [],
    ),
  );
}

/**
 * PuppetDB loses the order of members: it returns short names first. By name, as Facter prints
 * them, is the closest order to that of the compile there.
 */
function sortMembers(value: Value): Value {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (!(value instanceof PuppetHash)) return value;
  const members = [...value].map(([name, member]) => [String(name), sortMembers(member)] as const);
  return PuppetHash.of(members.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Exports by type, read once. Puppet: `storeconfigs` in PuppetDB returns no tags. */
function collectFrom(reader: RowReader): Pick<ExportStore, 'collect'> {
  const kept = new BoundedCache<Promise<readonly ExportedResource[]>>(MOST_KEPT);
  const readType = (type: string) => {
    const found = kept.get(type) ?? readExports(reader, type);
    kept.set(type, found);
    found.catch(() => kept.delete(type));
    return found;
  };
  return {
    collect: async (queries, except) => {
      const types = [...new Set(queries.map(({ type }) => type))];
      const found = (await Promise.all(types.map(readType))).flat();
      return found.filter(({ certname }) => certname !== except);
    },
  };
}

async function readExports(reader: RowReader, type: string): Promise<readonly ExportedResource[]> {
  const query = ['and', ['=', 'exported', true], ['=', 'type', type]];
  const order_by = [{ field: 'certname' }, { field: 'title' }];
  const rows = await readTexts(reader, '/resources', { query, order_by });
  return rows.map((row) => {
    const { certname, title, tags, parameters } = Object(JSON.parse(row));
    return { certname, type, title, tags, returnedTags: [], parameters: parameters ?? {} };
  });
}

function answerFrom(reader: RowReader): InventoryAnswers {
  const kept = new BoundedCache<Promise<InventoryReply>>(MOST_KEPT);
  const answer = (query: string) => {
    const found = kept.get(query) ?? askQuery(reader, query);
    kept.set(query, found);
    found.catch(() => kept.delete(query));
    return found;
  };
  const ask = async (queries: readonly string[]) =>
    new Map(await Promise.all(queries.map(async (query) => [query, await answer(query)] as const)));
  return {
    ask,
    digest: async (queries) => new Map([...(await ask(queries))].map(([query, { digest }]) => [query, digest])),
    keepOnly: async () => undefined,
  };
}

async function askQuery(reader: RowReader, query: string): Promise<InventoryReply> {
  try {
    const rows = `[${(await readTexts(reader, '', { query })).join(',')}]`;
    return { digest: digestSha256(rows), rows, error: null };
  } catch (error) {
    if (error instanceof ServiceUnreachable || !(error instanceof ClientError)) throw error;
    return { digest: digestSha256(error.message), rows: null, error: error.message };
  }
}

async function readTexts(
  reader: RowReader,
  path: string,
  parameters: Readonly<Record<string, unknown>>,
): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const row of reader.readRows(path, parameters)) found.push(row);
  return found;
}

async function readMaps(
  reader: RowReader,
  path: string,
  parameters: Readonly<Record<string, unknown>>,
): Promise<readonly WireMap[]> {
  return (await readTexts(reader, path, parameters)).map(readWireJson).filter(isWireMap);
}

/** The rows of an expanded member: `{"data": […]}`. */
function listData(member: unknown): readonly WireMap[] {
  const data = isWireMap(member) ? member.data : member;
  return Array.isArray(data) ? data.filter(isWireMap) : [];
}
