import { join } from 'node:path';
import type { ClientFolders } from '../../cli/client/client-settings.ts';
import { InventoryClient, type InventoryOptions, readInventoryAddress } from '../../cli/client/inventory-client.ts';
import { CommandError } from '../../cli/commands/node-files.ts';
import type { CatalogSource, NodeSource } from './existing-fleet.ts';
import { CatalogFolder, FactsFolder } from './folder-source.ts';
import { PuppetServerSource } from './puppet-server-source.ts';
import { PuppetdbSource } from './puppetdb-source.ts';

/** The options that name an existing installation. */
export interface ExistingOptions {
  readonly puppetdb?: string;
  readonly catalogs?: string;
  readonly server?: string;
  readonly facts?: string;
  readonly caCert?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly serverApi: 'v3' | 'v4';
}

/** An existing installation; close it at the end. */
export interface Existing {
  /** Distinguishes it from others. */
  readonly name: string;
  readonly nodes: NodeSource;
  readonly catalogs: CatalogSource;
  close(): void;
}

const USUAL_ENVIRONMENT = 'production';

/** Opens what the options name. Throws CommandError and ClientError when they do not fit. */
export function openExisting(options: ExistingOptions, folders: ClientFolders): Existing {
  const { puppetdb, catalogs: directory, server, facts } = options;
  if (puppetdb === undefined && directory === undefined && server === undefined) {
    throw new CommandError('give --puppetdb, --catalogs or --server: what the catalogs are compared with');
  }
  if (directory !== undefined && server !== undefined) throw new CommandError('give --catalogs or --server, not both');
  const closing: (() => void)[] = [];
  const database = puppetdb === undefined ? null : openPuppetdb(puppetdb, options, folders, closing);
  const folder = directory === undefined ? null : new CatalogFolder(directory);
  const asked = server === undefined ? null : openServer(server, options, closing);
  const nodes = chooseNodes(options, database, folder);
  const catalogs = asked ?? folder ?? database;
  if (catalogs === null) throw new Error('invariant: one of the options is given');
  const name = [puppetdb, directory, server, facts].filter((one) => one !== undefined).join(' ');
  return {
    name,
    nodes,
    catalogs,
    close: () => {
      for (const close of closing) close();
    },
  };
}

function chooseNodes(
  { facts, catalogs }: ExistingOptions,
  database: PuppetdbSource | null,
  folder: CatalogFolder | null,
): NodeSource {
  const environmentOf = (certname: string) => folder?.environmentOf(certname) ?? USUAL_ENVIRONMENT;
  if (facts !== undefined) return withExports(new FactsFolder(facts, environmentOf), database);
  if (database !== null) return database;
  if (folder === null) throw new CommandError('--server requires the facts of the nodes: give --puppetdb or --facts');
  const found = new FactsFolder(join(catalogs ?? '', 'facts'), environmentOf);
  // Catalogs without facts count as not compared.
  return { listCertnames: async () => folder.listCertnames(), readNode: (certname) => found.readNode(certname) };
}

function withExports(nodes: NodeSource, database: PuppetdbSource | null): NodeSource {
  if (database === null) return nodes;
  const { exports, inventory } = database;
  return {
    listCertnames: () => nodes.listCertnames(),
    readNode: (certname) => nodes.readNode(certname),
    exports,
    inventory,
  };
}

function openPuppetdb(
  url: string,
  { caCert, cert, key }: ExistingOptions,
  folders: ClientFolders,
  closing: (() => void)[],
): PuppetdbSource {
  const given: InventoryOptions = {
    serviceUrl: url,
    ...(caCert === undefined ? {} : { caCert }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
  const client = new InventoryClient(readInventoryAddress(given, folders));
  closing.push(() => client.close());
  return new PuppetdbSource(client);
}

function openServer(
  url: string,
  { caCert, cert, key, serverApi }: ExistingOptions,
  closing: (() => void)[],
): PuppetServerSource {
  if (caCert === undefined || cert === undefined || key === undefined) {
    throw new CommandError('--server requires --ca-cert, --cert and --key');
  }
  const source = new PuppetServerSource({
    url,
    caFile: caCert,
    certificateFile: cert,
    keyFile: key,
    api: serverApi,
  });
  closing.push(() => source.close());
  return source;
}
