import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError, readJsonFile, readPrintedFacts } from '../../cli/commands/node-files.ts';
import { readParsedCatalog } from '../../fleet/comparisons/node-comparison.ts';
import type { ParsedCatalog } from '../../puppet/catalog/diff-catalogs.ts';
import { isJsonObject } from '../../util/json-object.ts';
import {
  type CatalogSource,
  type KnownNode,
  type NodeSource,
  NodeUnreadable,
  type OwnCatalog,
  splitTrusted,
} from './existing-fleet.ts';

const FORMS = ['.json', '.yaml', '.yml'];

/**
 * Nodes whose facts are files of a folder: CERTNAME.json or CERTNAME.yaml, as `puppet facts` prints
 * them or a server caches them. Throws CommandError without the folder.
 */
export class FactsFolder implements NodeSource {
  readonly #folder: string;
  readonly #environmentOf: (certname: string) => string;

  /** `environmentOf`: what is known of a node's environment beside its facts. */
  constructor(folder: string, environmentOf: (certname: string) => string) {
    requireFolder(folder, 'facts');
    this.#folder = folder;
    this.#environmentOf = environmentOf;
  }

  async listCertnames(): Promise<readonly string[]> {
    return listNames(this.#folder, FORMS);
  }

  async readNode(certname: string): Promise<KnownNode> {
    const file = FORMS.map((form) => join(this.#folder, `${certname}${form}`)).find((path) => existsSync(path));
    if (file === undefined) throw new NodeUnreadable('there is no file with its facts');
    const facts = await readOrFail(() => readPrintedFacts(file));
    return { certname, environment: this.#environmentOf(certname), ...splitTrusted(certname, facts) };
  }
}

/**
 * Catalogs that are files of a folder: CERTNAME.json, as agents cache them and `puppet catalog
 * compile` prints them. Throws CommandError without the folder.
 */
export class CatalogFolder implements CatalogSource {
  readonly #folder: string;

  constructor(folder: string) {
    requireFolder(folder, 'catalogs');
    this.#folder = folder;
  }

  listCertnames(): readonly string[] {
    return listNames(this.#folder, ['.json']);
  }

  /** The environment that the catalog names; null when it names none. */
  environmentOf(certname: string): string | null {
    try {
      const { environment } = this.#read(certname);
      return typeof environment === 'string' ? environment : null;
    } catch (error) {
      if (error instanceof NodeUnreadable) return null;
      throw error;
    }
  }

  async readCatalog({ certname }: KnownNode): Promise<ParsedCatalog> {
    const catalog = readParsedCatalog(this.#read(certname));
    if (catalog === null) throw new NodeUnreadable('the file with its catalog has none');
    return catalog;
  }

  toComparable({ catalog }: OwnCatalog): ParsedCatalog {
    return demandParsedCatalog(catalog);
  }

  #read(certname: string): Readonly<Record<string, unknown>> {
    const file = join(this.#folder, `${certname}.json`);
    if (!existsSync(file)) throw new NodeUnreadable('there is no file with its catalog');
    const found = readOrFailNow(() => readJsonFile(file, 'catalog'));
    return isJsonObject(found.data) ? found.data : found;
  }
}

/** A catalog compiled here, to compare with one that agents get. */
export function demandParsedCatalog(catalog: unknown): ParsedCatalog {
  const found = readParsedCatalog(catalog);
  if (found === null) throw new Error('invariant: a compiled catalog is a catalog');
  return found;
}

function requireFolder(folder: string, what: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new CommandError(`there is no folder '${folder}' with ${what}`);
}

function listNames(folder: string, forms: readonly string[]): readonly string[] {
  const names = readdirSync(folder).flatMap((name) => {
    const form = forms.find((one) => name.endsWith(one));
    return form === undefined ? [] : [name.slice(0, -form.length)];
  });
  return [...new Set(names)];
}

async function readOrFail<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw error instanceof CommandError ? new NodeUnreadable(error.message) : error;
  }
}

function readOrFailNow<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof CommandError ? new NodeUnreadable(error.message) : error;
  }
}
