import { canonicalJson } from '../../util/digest.ts';

/** A catalog as JSON.parse returns it, with the fields that a diff compares. */
export interface ParsedCatalog {
  readonly resources: readonly ParsedResource[];
  readonly edges: readonly { readonly source: string; readonly target: string }[];
  readonly classes: readonly string[];
}

export interface ParsedResource {
  readonly type: string;
  readonly title: string;
  readonly tags?: readonly string[];
  readonly file?: string;
  readonly line?: number;
  readonly exported?: boolean;
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly sensitive_parameters?: readonly string[];
}

/**
 * One difference between two catalogs. `left` or `right` is undefined where that catalog lacks the
 * item.
 */
export interface CatalogDifference {
  readonly kind: 'resource' | 'parameter' | 'tags' | 'place' | 'sensitive' | 'exported' | 'edge' | 'class' | 'order';
  /** A reference (`File[/etc/motd]`), an edge (`A -> B`), or the name of a class. */
  readonly what: string;
  /** The parameter's name. */
  readonly name?: string;
  readonly left?: unknown;
  readonly right?: unknown;
}

/**
 * Returns all differences: resources first, in the order of the left catalog. The order of tags and
 * edges is ignored.
 */
export function diffCatalogs(left: ParsedCatalog, right: ParsedCatalog): readonly CatalogDifference[] {
  const ours = indexByReference(left);
  const theirs = indexByReference(right);
  const both = [...ours.keys()].filter((reference) => theirs.has(reference));
  return [
    ...diffAbsent('resource', ours, theirs),
    ...both.flatMap((reference) => diffResources(reference, ours.get(reference), theirs.get(reference))),
    ...diffOrder(both, [...theirs.keys()]),
    ...diffAbsent('edge', edgesOf(left), edgesOf(right)),
    ...diffAbsent('class', toNameMap(left.classes), toNameMap(right.classes)),
  ];
}

function indexByReference({ resources }: ParsedCatalog): Map<string, ParsedResource> {
  return new Map(resources.map((resource) => [`${resource.type}[${resource.title}]`, resource]));
}

function edgesOf({ edges }: ParsedCatalog): Map<string, true> {
  return new Map(edges.map(({ source, target }) => [`${source} -> ${target}`, true]));
}

function toNameMap(list: readonly string[]): Map<string, true> {
  return new Map(list.map((name) => [name, true]));
}

function diffAbsent(
  kind: CatalogDifference['kind'],
  left: ReadonlyMap<string, unknown>,
  right: ReadonlyMap<string, unknown>,
): CatalogDifference[] {
  return [
    ...[...left.keys()].filter((what) => !right.has(what)).map((what) => ({ kind, what, left: true })),
    ...[...right.keys()].filter((what) => !left.has(what)).map((what) => ({ kind, what, right: true })),
  ];
}

const NOTHING: ParsedResource = { type: '', title: '' };

function diffResources(what: string, left = NOTHING, right = NOTHING): CatalogDifference[] {
  const found = diffParameters(what, left.parameters ?? {}, right.parameters ?? {});
  const compare = (kind: CatalogDifference['kind'], a: unknown, b: unknown) => {
    if (canonicalJson(a) !== canonicalJson(b)) found.push({ kind, what, left: a, right: b });
  };
  compare('tags', [...(left.tags ?? [])].sort(), [...(right.tags ?? [])].sort());
  compare('sensitive', [...(left.sensitive_parameters ?? [])].sort(), [...(right.sensitive_parameters ?? [])].sort());
  compare('exported', left.exported === true, right.exported === true);
  compare('place', placeOf(left), placeOf(right));
  return found;
}

function placeOf({ file, line }: ParsedResource): string | null {
  return file === undefined ? null : `${file}:${line}`;
}

function diffParameters(
  what: string,
  left: Readonly<Record<string, unknown>>,
  right: Readonly<Record<string, unknown>>,
): CatalogDifference[] {
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].flatMap((name): CatalogDifference[] => {
    const [a, b] = [left[name], right[name]];
    const same = a === undefined || b === undefined ? a === b : canonicalJson(a) === canonicalJson(b);
    return same ? [] : [{ kind: 'parameter', what, name, left: a, right: b }];
  });
}

/** The first resource whose position differs, among the resources in both catalogs. */
function diffOrder(left: readonly string[], all: readonly string[]): CatalogDifference[] {
  const known = new Set(left);
  const right = all.filter((reference) => known.has(reference));
  const at = left.findIndex((reference, index) => right[index] !== reference);
  return at < 0 ? [] : [{ kind: 'order', what: `position ${at + 1}`, left: left[at], right: right[at] }];
}
