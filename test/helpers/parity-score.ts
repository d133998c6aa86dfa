/** Compares outcomes of parity cases with those of real Puppet. */
import { isDeepStrictEqual } from 'node:util';

interface Entry {
  readonly [key: string]: unknown;
}

export interface GradedOutcome {
  readonly status?: string;
  readonly error?: Entry;
  readonly logs?: readonly Entry[];
  readonly pn?: string;
  readonly nodes?: unknown;
  readonly value?: Entry;
  readonly catalog?: GradedCatalog;
}

interface GradedCatalog {
  readonly resources?: readonly Entry[];
  readonly edges?: readonly Entry[];
  readonly tags?: readonly string[];
  readonly classes?: readonly string[];
}

/** Lists the levels at which `ours` disagrees with `real`: `status`, `error_msg`, `params`, ... */
export function listDisagreements(real: GradedOutcome, ours: GradedOutcome): string[] {
  return [...compareLevels(real, ours)].filter(([, agrees]) => !agrees).map(([level]) => level);
}

function* compareLevels(real: GradedOutcome, ours: GradedOutcome): Generator<[level: string, agrees: boolean]> {
  yield ['status', real.status === ours.status];
  if (real.status === 'error') yield* errorLevels(real, ours);
  if (real.logs?.length || ours.logs?.length) yield ['logs', same(listLogs(real), listLogs(ours))];
  if (real.pn !== undefined) yield ['pn', real.pn === ours.pn];
  if (real.nodes !== undefined) yield ['ast_positions', same(real.nodes, ours.nodes)];
  for (const key of ['s', 'type', 'data']) {
    if (real.value && key in real.value) yield [`value_${key}`, same(real.value[key], ours.value?.[key])];
  }
  if (real.catalog) yield* catalogLevels(real.catalog, ours.catalog ?? {});
}

function* errorLevels(real: GradedOutcome, ours: GradedOutcome): Generator<[string, boolean]> {
  const failed = ours.status === 'error';
  const theirs = real.error ?? {};
  const mine = ours.error ?? {};
  yield ['error_msg', failed && readMessage(theirs) === readMessage(mine)];
  yield ['error_loc', failed && theirs.line === mine.line && theirs.pos === mine.pos];
  if (theirs.issue_code) yield ['issue_code', theirs.issue_code === mine.issue_code];
}

function* catalogLevels(real: GradedCatalog, ours: GradedCatalog): Generator<[string, boolean]> {
  yield ['order', same(real.resources?.map(printReference), ours.resources?.map(printReference))];
  yield ['edges', same(listEdges(real), listEdges(ours))];
  yield ['classes', same(real.classes, ours.classes)];
  yield ['catalog', same(normalizeCatalog(real), normalizeCatalog(ours))];
}

/** Returns the message without node and location. */
function readMessage(error: Entry): string {
  const text = String(error.basic ?? error.message ?? '')
    .trim()
    .replace(/ on node \S+$/, '');
  return text.replace(/\s*\((file: [^)]*|line: [^)]*)\)$/, '').trim();
}

function listLogs({ logs = [] }: GradedOutcome): unknown[] {
  return logs.map((entry) => [entry.level, entry.message]);
}

function printReference(resource: Entry): string {
  return `${resource.type}[${resource.title}]`;
}

function listEdges({ edges: list = [] }: GradedCatalog): string[] {
  return list.map(({ source, target }) => `${source} -> ${target}`).sort();
}

/** Removes the order of tags, edges and names of sensitive parameters from a catalog. */
function normalizeCatalog(catalog: GradedCatalog): unknown {
  const resources = (catalog.resources ?? []).map((resource) => ({
    ...resource,
    tags: sortList(resource.tags),
    sensitive_parameters: sortList(resource.sensitive_parameters),
  }));
  return { ...catalog, resources, tags: sortList(catalog.tags), edges: listEdges(catalog) };
}

function sortList(list: unknown): unknown[] {
  return Array.isArray(list) ? [...list].sort() : [];
}

function same(left: unknown, right: unknown): boolean {
  return isDeepStrictEqual(left, right);
}
