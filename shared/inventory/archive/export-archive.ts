import { setImmediate as turn } from 'node:timers/promises';
import { packTar, type TarEntry } from '../../util/tar-stream.ts';
import type { Ast } from '../ast/ast.ts';
import { COMMAND_VERSIONS, type InventoryCommand } from '../commands/apply-command.ts';
import {
  importCatalog,
  importCatalogInputs,
  importExpiration,
  importFactset,
  importReport,
} from '../commands/commands-of-rows.ts';
import { identify, isWireMap, readWireJson, type WireMap } from '../commands/wire-json.ts';
import type { InventoryReader } from '../query/inventory-reader.ts';
import { type InventoryParameters, NO_PARAMETERS } from '../query/query-parameters.ts';
import type { AnonymizationProfile } from './anonymization-profiles.ts';
import { anonymizeCommand } from './anonymize-command.ts';
import { Anonymizer } from './anonymizer.ts';

/** The folder that contains all of PuppetDB's archives. */
const ARCHIVE_ROOT = 'puppetdb-bak';
export const METADATA_NAME = `${ARCHIVE_ROOT}/export-metadata.json`;
const REPORTS_AT_ONCE = 20;

interface ExportOptions {
  readonly reader: Pick<InventoryReader, 'read'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Replaces values; null or absent: they stay. */
  readonly anonymization?: Anonymization | null;
}

interface Anonymization {
  readonly profile: AnonymizationProfile;
  /** 32 random bytes, for this export alone. */
  readonly key: Uint8Array;
}

/**
 * The bytes of a tar archive of all active nodes, in PuppetDB's layout: a command a file, in the
 * order in which they are to be applied. It is no snapshot: nodes are read one after another, and
 * nothing but the rows of one is in memory. Rejects as queries do.
 */
// Differs from Puppet: nodes that are deactivated or expired are left out, because an import would
// make them active. puppetlabs/puppetdb/export.clj
export function exportArchive(options: ExportOptions): ReadableStream<Uint8Array> {
  return packTar(listEntries(options), options.now);
}

async function* listEntries({ reader, now, anonymization = null }: ExportOptions): AsyncGenerator<TarEntry> {
  yield { name: METADATA_NAME, bytes: Buffer.from(describeArchive(now())) };
  const anonymizer = anonymization && (await openAnonymizer(reader, anonymization));
  for (const certname of await listNodes(reader, ACTIVE)) {
    for await (const found of listCommands(reader, certname)) {
      const command = anonymizer === null ? found : anonymizeCommand(anonymizer, found);
      yield { name: nameOf(command), bytes: Buffer.from(command.payload) };
      // The work on a large catalog keeps nobody else waiting for that of the next one.
      await turn();
    }
  }
}

function describeArchive(at: number): string {
  const exported = [...COMMAND_VERSIONS].filter(([name]) => name !== 'deactivate node');
  const versions = exported.map(([name, { newest }]) => [name.replaceAll(' ', '_'), newest] as const);
  return JSON.stringify({ timestamp: new Date(at).toISOString(), command_versions: Object.fromEntries(versions) });
}

type Reader = ExportOptions['reader'];

const ACTIVE: Ast = ['=', 'node_state', 'active'];

/** Values of nodes that are exported may name others, too. */
async function openAnonymizer(reader: Reader, { profile, key }: Anonymization): Promise<Anonymizer> {
  const names = await listNodes(reader, ['or', ACTIVE, ['=', 'node_state', 'inactive']]);
  return new Anonymizer(profile, key, new Set(names));
}

/** The names of nodes: those of 100,000 take some megabytes. */
async function listNodes(reader: Reader, which: Ast): Promise<readonly string[]> {
  const query: Ast = ['from', 'nodes', ['extract', 'certname', which]];
  const rows = await readRows(reader, query, { order: [['certname', 'asc']] });
  return rows.map(({ certname }) => String(certname));
}

/** The expiration first: facts that do not expire are else deleted during an import. */
async function* listCommands(reader: Reader, certname: string): AsyncGenerator<InventoryCommand> {
  const ofNode: Ast = ['=', 'certname', certname];
  const nodes = await readRows(reader, ['from', 'nodes', ofNode], { includesFactExpiration: true });
  yield* nodes.flatMap(importExpiration);
  const factsets = await readRows(reader, ['from', 'factsets', ofNode], { includesPackages: true });
  yield* factsets.map(importFactset);
  yield* (await readRows(reader, ['from', 'catalogs', ofNode])).map(importCatalog);
  yield* (await readRows(reader, ['from', 'catalog_inputs', ofNode])).map(importCatalogInputs);
  // Reports of plans, too.
  const reports: Ast = ['from', 'reports', ['and', ofNode, ['~', 'type', '.']]];
  for (let offset = 0; ; offset += REPORTS_AT_ONCE) {
    const order = [
      ['producer_timestamp', 'asc'],
      ['hash', 'asc'],
    ] as const;
    const page = await readRows(reader, reports, { limit: REPORTS_AT_ONCE, offset, order });
    yield* page.map(importReport);
    if (page.length < REPORTS_AT_ONCE) return;
  }
}

async function readRows(
  reader: Reader,
  query: Ast,
  options: Partial<InventoryParameters> = {},
): Promise<readonly WireMap[]> {
  const { rows } = await reader.read(query, { ...NO_PARAMETERS, ...options });
  const found: WireMap[] = [];
  for await (const batch of rows) found.push(...batch.map(readWireJson).filter(isWireMap));
  return found;
}

const FOLDERS: ReadonlyMap<string, string> = new Map([
  ['configure expiration', 'configure_expiration'],
  ['replace facts', 'facts'],
  ['replace catalog', 'catalogs'],
  ['replace catalog inputs', 'catalog_inputs'],
  ['store report', 'reports'],
]);

// Puppet: puppetlabs/puppetdb/export.clj, export-filename
function nameOf({ command, certname, payload }: InventoryCommand): string {
  const suffix = command === 'replace facts' ? '' : `-${identify([command, payload])}`;
  return `${ARCHIVE_ROOT}/${FOLDERS.get(command)}/${certname}${suffix}.json`;
}

/** The command of an entry by its name, and its certname; null for what is no command. */
export function readEntryName(name: string): { readonly command: string; readonly certname: string } | null {
  for (const [command, folder] of FOLDERS) {
    const start = `${ARCHIVE_ROOT}/${folder}/`;
    if (!name.startsWith(start)) continue;
    const pattern = command === 'replace facts' ? /^(.+)\.json$/s : /^(.+)-[0-9a-fA-F]{40}\.json$/s;
    const certname = pattern.exec(name.slice(start.length))?.[1];
    if (certname !== undefined) return { command, certname };
  }
  return null;
}
