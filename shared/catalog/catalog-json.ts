import { printJson } from '../serialization/json.ts';
import { toRichData } from '../serialization/to-data.ts';
import { PuppetHash } from '../types/puppet-hash.ts';
import type { Value } from '../types/values.ts';
import type { Catalog } from './catalog.ts';
import type { CatalogResource } from './resource.ts';
import { TagSet } from './tags.ts';

/**
 * The catalog as an agent gets it, less `version`, `catalog_uuid`, `catalog_format`, `code_id`: rich-data JSON.
 * Virtual resources and edges from or to them are left out. `reference` writes values that refer to resources.
 * Puppet: Catalog#to_data_hash, Resource#to_data_hash
 */
export function printCatalog(catalog: Catalog, reference: (value: Value) => string | null): string {
  return new CatalogPrinter(catalog, reference).print();
}

/** Texts that many resources share (tags, types, files, references) are written once. */
class CatalogPrinter {
  readonly #catalog: Catalog;
  readonly #reference: (value: Value) => string | null;
  readonly #written = new Map<string, string>();
  readonly #references = new Map<CatalogResource, string>();

  constructor(catalog: Catalog, reference: (value: Value) => string | null) {
    this.#catalog = catalog;
    this.#reference = reference;
  }

  print(): string {
    const { name, environment, classes, resources } = this.#catalog;
    const real = resources.filter((resource) => !resource.virtual);
    const head = `{"tags":${this.#texts(this.#tags())},"name":${JSON.stringify(name)},"environment":${JSON.stringify(environment)}`;
    const shown = real.map((resource) => this.#resource(resource)).join(',');
    return `${head},"resources":[${shown}],"edges":[${this.#edges(real)}],"classes":${this.#texts(classes)}}`;
  }

  /** Puppet: what is sent is a copy of the catalog, which gets the tags of its classes first. Catalog#to_catalog */
  #tags(): TagSet {
    const tags = new TagSet();
    for (const name of this.#catalog.classes) tags.add(name);
    tags.merge(this.#catalog.tags);
    return tags;
  }

  #resource(resource: CatalogResource): string {
    const { type, title, tags, file, line, exported, kind, sensitiveParameters } = resource;
    let text = `{"type":${this.#text(type)},"title":${JSON.stringify(title)},"tags":${this.#texts(tags)}`;
    if (file !== undefined) text += `,"file":${this.#text(file)}`;
    if (line !== undefined) text += `,"line":${line}`;
    text += `,"exported":${exported},"kind":"${kind}"`;
    const parameters = this.#parameters(resource);
    if (parameters !== '') text += `,"parameters":{${parameters}}`;
    if (sensitiveParameters.length > 0) text += `,"sensitive_parameters":${this.#texts(sensitiveParameters)}`;
    return `${text}}`;
  }

  #parameters(resource: CatalogResource): string {
    let text = '';
    resource.catalogParameters().forEach((value, name) => {
      text += `${text === '' ? '' : ','}${this.#text(name)}:${this.#value(value)}`;
    });
    return text;
  }

  #value(value: Value): string {
    if (typeof value === 'string') return JSON.stringify(value);
    return printJson(typeof value === 'object' ? parameterValue(value, this.#reference) : value);
  }

  #edges(real: readonly CatalogResource[]): string {
    let text = '';
    for (const target of real) {
      for (const source of this.#catalog.sourcesOf(target)) {
        if (source.virtual) continue;
        const separator = text === '' ? '' : ',';
        text += `${separator}{"source":${this.#referenceTo(source)},"target":${this.#referenceTo(target)}}`;
      }
    }
    return text;
  }

  #referenceTo(resource: CatalogResource): string {
    let text = this.#references.get(resource);
    if (text === undefined) {
      text = JSON.stringify(resource.reference);
      this.#references.set(resource, text);
    }
    return text;
  }

  #texts(values: Iterable<string>): string {
    let text = '';
    for (const value of values) text += text === '' ? this.#text(value) : `,${this.#text(value)}`;
    return `[${text}]`;
  }

  #text(value: string): string {
    let text = this.#written.get(value);
    if (text === undefined) {
      text = JSON.stringify(value);
      this.#written.set(value, text);
    }
    return text;
  }
}

/** The parameters of a resource as rich data. */
export function parameterData(resource: CatalogResource, reference: (value: Value) => string | null): PuppetHash {
  const data = new PuppetHash();
  for (const [name, value] of resource.catalogParameters()) {
    data.set(name, parameterValue(value, reference));
  }
  return data;
}

function parameterValue(value: Value, reference: (value: Value) => string | null): Value {
  return typeof value === 'string' ? value : toRichData(withReferences(value, reference));
}

function withReferences(value: Value, reference: (value: Value) => string | null): Value {
  if (Array.isArray(value)) return listWithReferences(value, reference);
  if (!(value instanceof PuppetHash)) return reference(value) ?? value;
  const entries = [...value.entries()];
  return PuppetHash.of(
    entries.map(([key, item]) => [withReferences(key, reference), withReferences(item, reference)] as const),
  );
}

// Puppet: a list with a reference anywhere in its lists becomes one flat list (Puppet::Resource's copy constructor).
function listWithReferences(list: readonly Value[], reference: (value: Value) => string | null): Value {
  const flat = flatten(list);
  const items = flat.some((item) => reference(item) !== null) ? flat : list;
  return items.map((item) => withReferences(item, reference));
}

function flatten(value: Value): readonly Value[] {
  return Array.isArray(value) ? value.flatMap((item: Value) => flatten(item)) : [value];
}
