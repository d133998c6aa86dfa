import { parseYamlDocument, type YamlMapping, type YamlNode } from '../../puppet/serialization/yaml-nodes.ts';
import { YamlSyntaxError } from '../../puppet/serialization/yaml-tokens.ts';
import { type NodePattern, parseNodePattern } from './node-pattern.ts';

/** The file of an environment that says which groups of nodes wait for which. */
export const GRAPH_FILE = 'environment-graph.yaml';

/** Nodes that belong together. */
export interface GraphGroup {
  /** `web`, or `Shop[eu]` for an instance of `Shop`. */
  readonly name: string;
  readonly nodes: readonly NodePattern[];
  /** Names of the groups whose nodes run first. */
  readonly after: readonly string[];
  /** A text for people; empty for none. */
  readonly description: string;
}

/** Content of an environment's graph file. */
export interface EnvironmentGraph {
  /** Each after those that it waits for. */
  readonly groups: readonly GraphGroup[];
  /** Resource types whose exports order no nodes; `all` for all types. Capitalised. */
  readonly ignoredExports: readonly string[] | 'all';
}

export const EMPTY_GRAPH: EnvironmentGraph = { groups: [], ignoredExports: [] };

/** The file is not as it has to be. The message begins with the file and the line. */
export class InvalidGraph extends Error {
  /** Counted from 1. */
  readonly line: number;
  /** The message without the place. */
  readonly problem: string;
  /** The groups that wait for each other, in that order; null for any other problem. */
  readonly cycle: readonly string[] | null;

  constructor(line: number, problem: string, cycle: readonly string[] | null = null) {
    super(`${GRAPH_FILE}:${Math.max(1, line)}: ${problem}`);
    this.name = 'InvalidGraph';
    this.line = Math.max(1, line);
    this.problem = problem;
    this.cycle = cycle;
  }
}

const GROUP_NAME = /^[A-Za-z][A-Za-z0-9_.:-]{0,99}(\[[A-Za-z0-9_.:-]{1,100}\])?$/;
const TYPE_NAME = /^[A-Z][a-z0-9_]*(::[A-Z][a-z0-9_]*)*$/;
const MOST_CHARACTERS = 1024 * 1024;
const MOST_GROUPS = 1000;

interface WrittenGroup extends GraphGroup {
  readonly line: number;
  /** The line of each name in `after`. */
  readonly afterLines: readonly number[];
}

/** Reads the text of the file. Throws InvalidGraph. */
export function readEnvironmentGraph(text: string): EnvironmentGraph {
  if (text.length > MOST_CHARACTERS) throw new InvalidGraph(1, `the file has more than ${MOST_CHARACTERS} characters`);
  const root = parseDocument(text);
  if (root === null) return EMPTY_GRAPH;
  const keys = readMapping(root, 'the file', ['groups', 'exports'], 1);
  const groups = keys.groups === undefined ? [] : readGroups(keys.groups);
  return { groups: sortGroups(groups), ignoredExports: keys.exports === undefined ? [] : readExports(keys.exports) };
}

function parseDocument(text: string): YamlNode | null {
  try {
    const root = parseYamlDocument(text);
    const isEmpty = root?.kind === 'scalar' && root.plain && root.value === '';
    return isEmpty ? null : root;
  } catch (error) {
    if (error instanceof RangeError) throw new InvalidGraph(1, 'the file is nested too deeply');
    if (!(error instanceof YamlSyntaxError)) throw error;
    throw new InvalidGraph(Number(/ at line (\d+) column/.exec(error.message)?.[1] ?? 1), error.message);
  }
}

function readGroups(node: YamlNode): readonly WrittenGroup[] {
  const pairs = listPairs(node, 'groups', 1);
  if (pairs.length > MOST_GROUPS) throw new InvalidGraph(node.line, `there are more than ${MOST_GROUPS} groups`);
  return pairs.map(({ key, value, line }) => {
    if (!GROUP_NAME.test(key)) {
      throw new InvalidGraph(line, `'${key}' is not a name of a group: NAME or NAME[INSTANCE], of letters and digits`);
    }
    const keys = readMapping(value, `the group ${key}`, ['nodes', 'after', 'description'], line);
    if (keys.nodes === undefined) throw new InvalidGraph(line, `the group ${key} has no nodes`);
    const nodes = readTexts(keys.nodes, `nodes of the group ${key}`, line).map((pattern) => {
      const parsed = parseNodePattern(pattern.text);
      if (typeof parsed === 'string') throw new InvalidGraph(pattern.line, parsed);
      return parsed;
    });
    if (nodes.length === 0) throw new InvalidGraph(keys.nodes.line || line, `the group ${key} has no nodes`);
    const after = keys.after === undefined ? [] : readTexts(keys.after, `after of the group ${key}`, line);
    return {
      name: key,
      nodes,
      after: after.map((one) => one.text),
      description: keys.description === undefined ? '' : readText(keys.description, `description of ${key}`, line).text,
      line,
      afterLines: after.map((one) => one.line),
    };
  });
}

function readExports(node: YamlNode): EnvironmentGraph['ignoredExports'] {
  const { ignore } = readMapping(node, 'exports', ['ignore'], node.line);
  if (ignore === undefined) return [];
  if (ignore.kind === 'scalar' && ignore.value === 'all') return 'all';
  return readTexts(ignore, 'ignore of exports', node.line).map(({ text, line }) => {
    if (TYPE_NAME.test(text)) return text;
    throw new InvalidGraph(line, `'${text}' is not a resource type, such as Sshkey or Nagios::Host`);
  });
}

/** Puts each group after those it waits for. Throws InvalidGraph for unknown ones and cycles. */
function sortGroups(groups: readonly WrittenGroup[]): readonly GraphGroup[] {
  const byName = new Map(groups.map((group) => [group.name, group]));
  const sorted = new Map<string, GraphGroup>();
  const visit = (group: WrittenGroup, path: readonly string[]): void => {
    if (sorted.has(group.name)) return;
    const trail = [...path, group.name];
    for (const [at, name] of group.after.entries()) {
      const line = group.afterLines[at] ?? group.line;
      const needed = byName.get(name);
      if (needed === undefined)
        throw new InvalidGraph(line, `the group ${group.name} waits for the unknown group ${name}`);
      if (trail.includes(name)) {
        const cycle = trail.slice(trail.indexOf(name));
        throw new InvalidGraph(line, `the groups have a cycle: ${[...cycle, name].join(' waits for ')}`, cycle);
      }
      visit(needed, trail);
    }
    const { name, nodes, after, description } = group;
    sorted.set(name, { name, nodes, after: [...new Set(after)], description });
  };
  for (const group of groups) visit(group, []);
  return [...sorted.values()];
}

interface Pair {
  readonly key: string;
  readonly value: YamlNode;
  readonly line: number;
}

/** The pairs of a mapping whose keys are texts. */
function listPairs(node: YamlNode, what: string, parentLine: number): readonly Pair[] {
  const line = node.line || parentLine;
  if (node.kind !== 'mapping') throw new InvalidGraph(line, `${what} must be a mapping`);
  requirePlain(node, line);
  const seen = new Set<string>();
  return node.pairs.map(([written, value]) => {
    const key = readText(written, `a key of ${what}`, line);
    if (seen.has(key.text)) throw new InvalidGraph(key.line, `${what} has ${key.text} twice`);
    seen.add(key.text);
    return { key: key.text, value, line: key.line };
  });
}

function readMapping(
  node: YamlNode,
  what: string,
  known: readonly string[],
  parentLine: number,
): Readonly<Record<string, YamlNode | undefined>> {
  const pairs = listPairs(node, what, parentLine);
  for (const { key, line } of pairs) {
    if (known.includes(key)) continue;
    throw new InvalidGraph(line, `${what} has the unknown key '${key}': it can have ${known.join(', ')}`);
  }
  // A value that is not written is at the line of its key.
  return Object.fromEntries(pairs.map(({ key, value, line }) => [key, value.line === 0 ? { ...value, line } : value]));
}

interface WrittenText {
  readonly text: string;
  readonly line: number;
}

function readTexts(node: YamlNode, what: string, parentLine: number): readonly WrittenText[] {
  const line = node.line || parentLine;
  if (node.kind !== 'sequence') throw new InvalidGraph(line, `${what} must be a list`);
  requirePlain(node, line);
  return node.items.map((item) => readText(item, `each of ${what}`, line));
}

function readText(node: YamlNode, what: string, parentLine: number): WrittenText {
  const line = node.line || parentLine;
  if (node.kind !== 'scalar' || (node.plain && node.value === ''))
    throw new InvalidGraph(line, `${what} must be a text`);
  requirePlain(node, line);
  return { text: node.value, line };
}

function requirePlain(node: Exclude<YamlNode, { readonly kind: 'alias' }> | YamlMapping, line: number): void {
  if (node.anchor !== null || node.tag !== null) throw new InvalidGraph(line, 'anchors and tags are not allowed');
}
