import type { CollectorRecord, ExportedResource } from '../catalog/exported.ts';
import type { ParameterSetting } from '../catalog/resource.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { Scope } from '../evaluator/scope.ts';
import { fromRichData } from '../serialization/from-data.ts';
import type { Value } from '../types/values/values.ts';
import type { CompileState } from './compile-state.ts';
import { DeclaredResource, unitOf } from './declared-resource.ts';
import { matchesFilter } from './export-filter.ts';
import { findImplementation } from './resource-declaration.ts';

/**
 * Thrown when a compile needs exports that were not provided. It is not an error: the caller
 * fetches them and restarts the compile.
 */
export class NeedsExports extends Error {
  readonly query: ExportQuery;

  constructor(query: ExportQuery) {
    super(`exports of ${query.type} are needed`);
    this.name = 'NeedsExports';
    this.query = query;
  }
}

/** Exports that a compile reads: of a type (capitalised), matching a filter. */
export type ExportQuery = Pick<CollectorRecord, 'type' | 'query'>;

/**
 * Returns other nodes' exports: all that match the query, or more; null when they were not fetched
 * yet.
 */
export type ExportLookup = (type: string, query: unknown) => readonly ExportedResource[] | null;

/** Provides exports and records the queries for them. */
export class ExportSource {
  readonly records: CollectorRecord[] = [];
  readonly #certname: string;
  readonly #exportsOf: ExportLookup;
  readonly #seen = new Set<string>();

  constructor(certname: string, exportsOf: ExportLookup) {
    this.#certname = certname;
    this.#exportsOf = exportsOf;
  }

  /**
   * Returns other nodes' exports of `type` (capitalised) that match `filter`, in the given order.
   */
  search(type: string, filter: unknown): readonly ExportedResource[] {
    const key = `${type}\u0000${JSON.stringify(filter)}`;
    if (!this.#seen.has(key)) this.records.push({ certname: this.#certname, type, query: filter });
    this.#seen.add(key);
    const all = this.#exportsOf(type, filter);
    if (!all) throw new NeedsExports({ type, query: filter });
    return all.filter((resource) => resource.certname !== this.#certname && matchesFilter(resource, filter));
  }
}

/**
 * Declares other nodes' exports that match the filter. A resource that already exists must come
 * from the same node.
 */
export function collectExported(state: CompileState, scope: Scope, type: string, filter: unknown): DeclaredResource[] {
  const added: DeclaredResource[] = [];
  for (const exported of state.exports.search(type, filter)) {
    const collectorId = `${exported.certname}|${exported.type}|${exported.title}`;
    const existing = state.find(exported.type, exported.title);
    if (existing) {
      if (existing.collectorId === collectorId) continue;
      const what = `${exported.type}[${exported.title}]`;
      throw new PuppetError(ISSUES.DUPLICATE_EXPORTED_RESOURCE({ resource: what }));
    }
    const resource = importExported(state, scope, exported);
    resource.collectorId = collectorId;
    state.declare(scope, resource);
    added.push(resource);
  }
  return added;
}

function importExported(state: CompileState, scope: Scope, exported: ExportedResource): DeclaredResource {
  const implementation = findImplementation(state, exported.type);
  const resource = new DeclaredResource({
    type: exported.type,
    title: exported.title,
    kind: implementation?.kind === 'type' ? 'compilable_type' : implementation ? 'defined_type' : 'unknown',
    implementation,
    scope,
    unit: unitOf(scope),
    parameters: Object.entries(exported.parameters).map(([name, value]) => importParameter(name, fromRichData(value))),
  });
  state.defaults.apply(resource);
  for (const tag of exported.returnedTags ?? []) resource.tags.add(tag);
  return resource;
}

function importParameter(name: string, value: Value): ParameterSetting {
  return { name, value, unit: null, append: false, file: undefined, line: undefined };
}
