import type { ChaosFacts, NodeModel } from './node-model.ts';
import type { Group, VersionedFile, VersionedRepo, Versions } from './versioned-repo.ts';

/** The messages of a catalog's Notify resources by title. */
export type ShownCatalog = ReadonlyMap<string, string>;

/** What may be true of a catalog, from before its request to after its answer. */
export interface Expectation {
  readonly facts: readonly ChaosFacts[];
  readonly groups: readonly string[];
  /** The versions that an acknowledged deploy put in force before the request. */
  readonly least: Versions;
  /** The newest versions when the answer came. */
  readonly most: Versions;
  /**
   * At rest, a node's catalog has exactly the exports that its group has. Before, other nodes'
   * exports may be earlier ones.
   */
  readonly isAtRest: boolean;
}

/** Reads a catalog as agents get it. Throws when it is none. */
export function readShownCatalog(text: string): ShownCatalog {
  const { resources }: { resources: readonly { type: string; title: string; parameters?: { message?: unknown } }[] } =
    JSON.parse(text);
  const notices = resources.filter(({ type }) => type === 'Notify');
  return new Map(notices.map(({ title, parameters }) => [title, String(parameters?.message)]));
}

/** Everything that is wrong with a catalog, one sentence each; empty when it is right. */
export function findFaults(
  shown: ShownCatalog,
  node: NodeModel,
  nodes: readonly NodeModel[],
  repo: VersionedRepo,
  expected: Expectation,
): readonly string[] {
  const group = repo.groups.find((one) => one === shown.get('group'));
  if (group === undefined || !expected.groups.includes(group)) {
    return [`it is of group ${shown.get('group')}, not of ${expected.groups.join(' or ')}`];
  }
  const facts = expected.facts.find((one) => textOfFacts(one) === shown.get('facts'));
  if (facts === undefined) {
    return [`it has the facts ${shown.get('facts')}, not ${expected.facts.map(textOfFacts).join(' or ')}`];
  }
  const files = filesShown(shown, node, group, facts, repo);
  return [
    ...[...files].flatMap(([file, text]) => findVersionFaults(file, text, expected)),
    ...findLayerFaults(shown, files, repo),
    ...findExportFaults(shown, node, nodes, group, facts, expected.isAtRest),
  ];
}

function textOfFacts({ chaos_a, chaos_b }: ChaosFacts): string {
  return `${chaos_a} ${chaos_b}`;
}

/** The text of each file's version in the catalog; the wrong text where something else is wrong. */
function filesShown(
  shown: ShownCatalog,
  { certname }: NodeModel,
  group: Group,
  { chaos_a }: ChaosFacts,
  repo: VersionedRepo,
): ReadonlyMap<VersionedFile, string> {
  const message = (title: string, suffix = '') => {
    const text = shown.get(title) ?? 'absent';
    return text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text;
  };
  const hasData = repo.getVersion(`node ${certname}`, 1) !== undefined;
  return new Map<VersionedFile, string>([
    ['manifest', message('manifest')],
    ['common', message('data common')],
    [`group ${group}`, message('data group')],
    ...(hasData ? [[`node ${certname}`, message('data node')] as const] : []),
    ['template', message('template', ` ${chaos_a} ${group}`)],
    ['function', message('function', ` ${chaos_a}`)],
  ]);
}

function findVersionFaults(file: VersionedFile, text: string, { least, most }: Expectation): readonly string[] {
  const [from, to] = [least.get(file) ?? 0, most.get(file) ?? 0];
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= from && number <= to) return [];
  return [`it has version '${text}' of ${file}, not ${from === to ? from : `${from} to ${to}`}`];
}

/** The key `layered` is that of the first layer which defines it, in the versions shown. */
function findLayerFaults(
  shown: ShownCatalog,
  files: ReadonlyMap<VersionedFile, string>,
  repo: VersionedRepo,
): readonly string[] {
  const layers = [...files].filter(([file]) => /^(node|group|common)/.test(file));
  const order = ['node', 'group', 'common'];
  const found = layers
    .map(([file, text]) => ({ kind: file.split(' ')[0] ?? '', text, version: repo.getVersion(file, Number(text)) }))
    .sort((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind))
    .find(({ version }) => version?.hasLayered);
  const expected = found ? `${found.kind} ${found.text}` : 'nothing';
  const actual = shown.get('layered') ?? 'nothing';
  return actual === expected ? [] : [`its layered data is '${actual}', not '${expected}'`];
}

function findExportFaults(
  shown: ShownCatalog,
  node: NodeModel,
  nodes: readonly NodeModel[],
  group: string,
  facts: ChaosFacts,
  isAtRest: boolean,
): readonly string[] {
  const expected = new Map<string, readonly string[]>([[node.certname, [facts.chaos_b]]]);
  for (const other of nodes) {
    if (other === node) continue;
    if (!isAtRest) expected.set(other.certname, ['', ...[...other.facts.ever].map(({ chaos_b }) => chaos_b)]);
    else if (other.group.accepted === group) expected.set(other.certname, [other.facts.accepted.chaos_b]);
  }
  const exported = [...shown].filter(([title]) => title.startsWith('export '));
  const wrong = exported.filter(([title, value]) => !expected.get(title.slice(7))?.includes(value));
  const missing = [...expected].filter(([name, values]) => !values.includes(shown.get(`export ${name}`) ?? ''));
  return [
    ...wrong.map(([title, value]) => `it has the ${title} '${value}', not ${describe(expected.get(title.slice(7)))}`),
    ...missing.filter(([name]) => !shown.has(`export ${name}`)).map(([name]) => `it lacks the export of ${name}`),
  ];
}

function describe(values: readonly string[] | undefined): string {
  return values === undefined ? 'any' : values.map((value) => `'${value}'`).join(' or ');
}
