import { printJson } from '../serialization/json.ts';
import { EndlessRecursion, toRichData, UnwritableValue } from '../serialization/to-data.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import type { Catalog } from './catalog.ts';
import type { CatalogResource, ResourceKind } from './resource.ts';
import { TagSet } from './tags.ts';

/**
 * Prints the catalog as rich-data JSON for an agent, without `version`, `catalog_uuid`,
 * `catalog_format` and `code_id`. Virtual resources and their edges are left out. `reference`
 * returns the text of a value that refers to a resource, and null for other values. `lost` is
 * called for each value that JSON cannot represent. Puppet: Catalog#to_data_hash,
 * Resource#to_data_hash
 */
export function printCatalog(
  catalog: Catalog,
  reference: (value: Value) => string | null,
  lost: Lost = () => {},
): string {
  return new CatalogPrinter(catalog, reference, lost).print();
}

/** Called for each value that a catalog cannot represent and that becomes a string. */
type Lost = (message: string, resource: CatalogResource, issueCode: string) => void;

/**
 * Caches the JSON of strings that many resources share (tags, types, files, references), together
 * with the surrounding syntax: concatenation is cheaper with few long pieces.
 */
class CatalogPrinter {
  readonly #catalog: Catalog;
  readonly #reference: (value: Value) => string | null;
  readonly #tagTexts = new Pieces('', '');
  readonly #types = new Pieces('{"type":', ',"title":');
  readonly #files = new Pieces(',"file":', '');
  readonly #names = new Pieces('', ':');
  readonly #lost: Lost;
  /** By the resource's `place`. */
  readonly #references: (string | undefined)[];

  constructor(catalog: Catalog, reference: (value: Value) => string | null, lost: Lost) {
    this.#catalog = catalog;
    this.#lost = lost;
    this.#references = new Array(catalog.resources.length);
    this.#reference = reference;
  }

  print(): string {
    const { name, environment, classes, resources } = this.#catalog;
    const real = resources.filter((resource) => !resource.virtual);
    const head = `{"tags":${this.#list(this.#createTagSet().names)},"name":${JSON.stringify(name)},"environment":${JSON.stringify(environment)}`;
    const shown = real.map((resource) => this.#printResource(resource)).join(',');
    return `${head},"resources":[${shown}],"edges":[${this.#printEdges(real)}],"classes":${this.#list(classes)}}`;
  }

  /**
   * Puppet: an agent gets a copy of the catalog, to which the tags of its classes are added first.
   * Catalog#to_catalog
   */
  #createTagSet(): TagSet {
    const tags = new TagSet();
    for (const name of this.#catalog.classes) tags.add(name);
    tags.merge(this.#catalog.tags);
    return tags;
  }

  #printResource(resource: CatalogResource): string {
    const { type, title, tags, file, line, exported, kind, sensitiveParameters } = resource;
    let text = `${this.#types.get(type) + JSON.stringify(title)},"tags":${this.#list(tags.names)}`;
    if (file !== undefined) text += this.#files.get(file);
    if (line !== undefined) text += `,"line":${line}`;
    text += exported ? EXPORTED[kind] : NOT_EXPORTED[kind];
    text += this.#printParameters(resource);
    if (sensitiveParameters.length > 0) text += `,"sensitive_parameters":${this.#list(sensitiveParameters)}`;
    return `${text}}`;
  }

  #printParameters(resource: CatalogResource): string {
    let text = '';
    resource.forEachCatalogParameter((value, name) => {
      text += (text === '' ? ',"parameters":{' : ',') + this.#names.get(name) + this.#printValue(value, name, resource);
    });
    return text === '' ? '' : `${text}}`;
  }

  #printValue(value: Value, name: string, resource: CatalogResource): string {
    if (typeof value === 'string') return JSON.stringify(value);
    if (typeof value !== 'object') return printJson(value);
    const texts = Array.isArray(value) ? this.#printTexts(value) : null;
    if (texts !== null) return texts;
    const warn = (issueCode: string, message: string) =>
      this.#lost(`${resource.reference}['${name}']${message}`, resource, issueCode);
    try {
      return printJson(toRichData(withParameterReferences(value, this.#reference), { warn }));
    } catch (error) {
      if (!(error instanceof EndlessRecursion)) throw error;
      const { file, line } = resource;
      throw new UnwritableValue(`Evaluation Error: ${error.basic}`, { file: file === '' ? undefined : file, line });
    }
  }

  /** The JSON of a list that holds only strings and references; null for any other list. */
  #printTexts(list: readonly Value[]): string | null {
    let text = '';
    for (const item of list) {
      const shown = typeof item === 'string' ? item : this.#reference(item);
      if (shown === null) return null;
      text += (text === '' ? '[' : ',') + JSON.stringify(shown);
    }
    return text === '' ? '[]' : `${text}]`;
  }

  #printEdges(real: readonly CatalogResource[]): string {
    let text = '';
    for (const target of real) {
      for (const source of this.#catalog.sourcesOf(target)) {
        if (source.virtual) continue;
        const before = text === '' ? '{"source":' : ',{"source":';
        text += `${before + this.#referenceTo(source)},"target":${this.#referenceTo(target)}}`;
      }
    }
    return text;
  }

  #referenceTo(resource: CatalogResource): string {
    let text = this.#references[resource.place];
    if (text === undefined) {
      text = JSON.stringify(resource.reference);
      this.#references[resource.place] = text;
    }
    return text;
  }

  #list(values: readonly string[]): string {
    let text = '';
    for (const value of values) text += (text === '' ? '[' : ',') + this.#tagTexts.get(value);
    return text === '' ? '[]' : `${text}]`;
  }
}

/** Cached JSON of strings, with a fixed text before and behind each. */
class Pieces {
  readonly #before: string;
  readonly #behind: string;
  readonly #made = new Map<string, string>();

  constructor(before: string, behind: string) {
    this.#before = before;
    this.#behind = behind;
  }

  get(text: string): string {
    let piece = this.#made.get(text);
    if (piece === undefined) {
      piece = this.#before + JSON.stringify(text) + this.#behind;
      this.#made.set(text, piece);
    }
    return piece;
  }
}

const KINDS: readonly ResourceKind[] = ['class', 'defined_type', 'compilable_type', 'unknown'];
const NOT_EXPORTED = Object.fromEntries(KINDS.map((kind) => [kind, `,"exported":false,"kind":"${kind}"`]));
const EXPORTED = Object.fromEntries(KINDS.map((kind) => [kind, `,"exported":true,"kind":"${kind}"`]));

/** The parameters of a resource as rich data. */
export function parameterData(resource: CatalogResource, reference: (value: Value) => string | null): PuppetHash {
  const data = new PuppetHash();
  for (const [name, value] of resource.catalogParameters()) {
    data.set(name, parameterValue(value, reference));
  }
  return data;
}

function parameterValue(value: Value, reference: (value: Value) => string | null): Value {
  return typeof value === 'string' ? value : toRichData(withParameterReferences(value, reference));
}

// Puppet: a parameter that is a list with a reference at any depth is flattened, a list in a hash
// is not (Puppet::Resource's copy constructor).
function withParameterReferences(value: Value, reference: (value: Value) => string | null): Value {
  if (!Array.isArray(value)) return withReferences(value, reference);
  const flat = flatten(value);
  return withReferences(flat.some((item) => reference(item) !== null) ? flat : value, reference);
}

function withReferences(value: Value, reference: (value: Value) => string | null): Value {
  if (Array.isArray(value)) return value.map((item: Value) => withReferences(item, reference));
  if (!(value instanceof PuppetHash)) return reference(value) ?? value;
  const entries = [...value.entries()];
  return PuppetHash.of(
    entries.map(([key, item]) => [withReferences(key, reference), withReferences(item, reference)] as const),
  );
}

function flatten(value: Value): readonly Value[] {
  return Array.isArray(value) ? value.flatMap((item: Value) => flatten(item)) : [value];
}
