import type { ApiSchema } from '../../../api/described-answers.ts';

export type CatalogJson = ApiSchema<'WireCatalog'>;
export type ShownResource = ApiSchema<'CatalogResource'>;

/** The reference of a resource: `File[/etc/motd]`. */
export function refOf({ type, title }: ShownResource): string {
  return `${type}[${title}]`;
}

/** The resources that each resource contains, and those that none contains. */
interface Containment {
  readonly roots: readonly ShownResource[];
  readonly childrenOf: (ref: string) => readonly ShownResource[];
}

/** Reads the containment from a catalog's edges. A resource on a cycle of edges is a root. */
export function readContainment(catalog: CatalogJson): Containment {
  const byRef = new Map(catalog.resources.map((resource) => [refOf(resource), resource]));
  const children = new Map<string, ShownResource[]>();
  const contained = new Set<string>();
  for (const { source, target } of catalog.edges) {
    const resource = byRef.get(target);
    if (resource === undefined || contained.has(target) || leadsTo(children, target, source)) continue;
    contained.add(target);
    children.set(source, [...(children.get(source) ?? []), resource]);
  }
  return {
    roots: catalog.resources.filter((resource) => !contained.has(refOf(resource))),
    childrenOf: (ref) => children.get(ref) ?? [],
  };
}

function leadsTo(children: ReadonlyMap<string, readonly ShownResource[]>, from: string, to: string): boolean {
  if (from === to) return true;
  return (children.get(from) ?? []).some((child) => leadsTo(children, refOf(child), to));
}

/** An edge between resources, with its kind in words. */
export interface DrawnEdge {
  readonly source: string;
  readonly target: string;
  readonly kind: 'contains' | 'before' | 'notifies';
}

/** All edges: containment, and the relationships of the metaparameters. */
export function listEdges(catalog: CatalogJson): readonly DrawnEdge[] {
  const contained = catalog.edges.map(({ source, target }): DrawnEdge => ({ source, target, kind: 'contains' }));
  const related = catalog.resources.flatMap((resource) => {
    const own = refOf(resource);
    const { before, notify, require: required, subscribe } = resource.parameters ?? {};
    const forward = (value: unknown, kind: DrawnEdge['kind']) =>
      readRefs(value).map((target): DrawnEdge => ({ source: own, target, kind }));
    const backward = (value: unknown, kind: DrawnEdge['kind']) =>
      readRefs(value).map((source): DrawnEdge => ({ source, target: own, kind }));
    return [
      ...forward(before, 'before'),
      ...forward(notify, 'notifies'),
      ...backward(required, 'before'),
      ...backward(subscribe, 'notifies'),
    ];
  });
  return [...contained, ...related];
}

function readRefs(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.flatMap(readRefs) : [];
}

/** A resource that two catalogs do not agree on. */
export interface ResourceDifference {
  readonly ref: string;
  readonly kind: 'added' | 'removed' | 'changed';
  /** Parameters of a changed resource that differ; undefined where there is none. */
  readonly parameters: readonly { readonly name: string; readonly from: unknown; readonly to: unknown }[];
}

/** Compares two catalogs by resources and parameters. */
export function compareCatalogs(before: CatalogJson, after: CatalogJson): readonly ResourceDifference[] {
  const old = new Map(before.resources.map((resource) => [refOf(resource), resource]));
  const differences: ResourceDifference[] = [];
  for (const resource of after.resources) {
    const ref = refOf(resource);
    const former = old.get(ref);
    old.delete(ref);
    if (former === undefined) differences.push({ ref, kind: 'added', parameters: [] });
    else {
      const parameters = compareParameters(former, resource);
      if (parameters.length > 0) differences.push({ ref, kind: 'changed', parameters });
    }
  }
  for (const ref of old.keys()) differences.push({ ref, kind: 'removed', parameters: [] });
  return differences;
}

function compareParameters(before: ShownResource, after: ShownResource): ResourceDifference['parameters'] {
  const [from, to] = [before.parameters ?? {}, after.parameters ?? {}];
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((name) =>
    JSON.stringify(from[name]) === JSON.stringify(to[name]) ? [] : [{ name, from: from[name], to: to[name] }],
  );
}
