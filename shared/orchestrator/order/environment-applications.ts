import { allNodes } from '../../store/list-pages.ts';
import type { Stores } from '../../store/ports/stores.ts';
import type { Precedence, RunOrder } from '../jobs/job-order.ts';
import { OrchestratorError } from '../jobs/orchestrator-error.ts';
import type { ApplicationNodes } from '../jobs/targets.ts';
import type { DeployedGraphs } from './deployed-graphs.ts';
import type { EnvironmentGraph, GraphGroup } from './environment-graph.ts';
import { type ExportMatch, matchExports, orderByExports } from './exported-precedences.ts';
import { findGroupMembers, type GroupMembers, orderGroups } from './group-members.ts';

/** A resource that a node exports for others of the graph, or collects from them. */
interface ResourceName {
  readonly type: string;
  readonly title: string;
}

/** A node of a group, and what joins it to others of the graph. */
interface GroupComponent {
  readonly node: string;
  readonly produces: readonly ResourceName[];
  readonly consumes: readonly ResourceName[];
}

/** A group with its nodes. */
export interface ApplicationInstance {
  readonly group: GraphGroup;
  readonly components: readonly GroupComponent[];
}

/** A group of which a job has nodes. */
interface ReachedApplication {
  readonly name: string;
  readonly nodes: readonly string[];
  /** Nodes that the graph names for it and the job does not have. */
  readonly missing: readonly string[];
}

/** Resources of a node that are shown at most. */
const MOST_SHOWN = 100;

/** The groups of the graphs of environments, in place of the applications of earlier Puppet. */
export class EnvironmentApplications implements ApplicationNodes {
  readonly #stores: Pick<Stores, 'nodes' | 'exports'>;
  readonly #graphs: DeployedGraphs;

  constructor(stores: Pick<Stores, 'nodes' | 'exports'>, graphs: DeployedGraphs) {
    this.#stores = stores;
    this.#graphs = graphs;
  }

  /** The nodes of a group; for `Shop`, those of `Shop` and of all `Shop[…]`. */
  async find(name: string, environment: string): Promise<readonly string[]> {
    const graph = await this.#graphs.read(environment);
    const groups = graph.groups.filter((group) => isNamed(group, name));
    if (groups.length === 0) {
      const message = `There is no application ${name} in the environment graph of '${environment}'`;
      throw new OrchestratorError('empty-target', message, { application: name, environment });
    }
    const members = await this.#findMembers({ ...graph, groups }, environment);
    return [...new Set(members.flatMap(({ nodes }) => nodes))];
  }

  /** Names of the groups, an instance's name without its brackets, each once. */
  async listNames(environment: string): Promise<readonly string[]> {
    const { groups } = await this.#graphs.read(environment);
    return [...new Set(groups.map(({ name }) => splitGroupName(name).type))];
  }

  /** All groups with their nodes, each after those that it waits for. */
  async listInstances(environment: string): Promise<readonly ApplicationInstance[]> {
    const graph = await this.#graphs.read(environment);
    const members = await this.#findMembers(graph, environment);
    const names = [...new Set(members.flatMap(({ nodes }) => nodes))];
    const components = describeComponents(names, await matchExports(names, this.#stores, graph.ignoredExports));
    return members.map(({ group, nodes }) => ({
      group,
      components: nodes.flatMap((name) => components.get(name) ?? []),
    }));
  }

  /** The groups of which a job has nodes. */
  async findReached(environment: string, names: readonly string[]): Promise<readonly ReachedApplication[]> {
    const isOfJob = new Set(names);
    const members = findGroupMembers(await this.#graphs.read(environment), names);
    return members
      .filter(({ nodes }) => nodes.length > 0)
      .map(({ group, nodes }) => ({
        name: group.name,
        nodes,
        missing: listNamed(group).filter((name) => !isOfJob.has(name)),
      }));
  }

  /** Patterns find the nodes of the environment; a certname counts although it is unknown. */
  async #findMembers(graph: EnvironmentGraph, environment: string): Promise<readonly GroupMembers[]> {
    const names = new Set(graph.groups.flatMap(listNamed));
    if (graph.groups.some(({ nodes }) => nodes.some(({ kind }) => kind !== 'name'))) {
      for await (const page of allNodes(this.#stores.nodes)) {
        for (const node of page) if (node.environment === environment) names.add(node.certname);
      }
    }
    return findGroupMembers(graph, [...names]);
  }
}

/** The parts of a group's name: `Shop[eu]` is the instance `eu` of `Shop`. */
export function splitGroupName(name: string): { readonly type: string; readonly title: string } {
  const [, type = name, title = name] = /^(.*)\[(.*)\]$/.exec(name) ?? [];
  return { type, title };
}

function isNamed({ name }: GraphGroup, wanted: string): boolean {
  return name === wanted || splitGroupName(name).type === wanted;
}

function listNamed({ nodes }: GraphGroup): readonly string[] {
  return nodes.flatMap((pattern) => (pattern.kind === 'name' ? [pattern.name] : []));
}

function describeComponents(
  names: readonly string[],
  matches: readonly ExportMatch[],
): ReadonlyMap<string, GroupComponent> {
  const produced = new Map<string, Map<string, ResourceName>>();
  const consumed = new Map<string, Map<string, ResourceName>>();
  for (const { collectors, exports } of matches) {
    const others = new Set(collectors);
    for (const resource of exports) {
      if (others.size > (others.has(resource.certname) ? 1 : 0)) note(produced, resource.certname, resource);
    }
    for (const name of collectors) {
      let shown = 0;
      for (const resource of exports) {
        if (resource.certname === name) continue;
        note(consumed, name, resource);
        shown += 1;
        if (shown === MOST_SHOWN) break;
      }
    }
  }
  const listOf = (found: typeof produced, name: string) => [...(found.get(name)?.values() ?? [])].slice(0, MOST_SHOWN);
  return new Map(
    names.map((node) => [node, { node, produces: listOf(produced, node), consumes: listOf(consumed, node) }]),
  );
}

function note(found: Map<string, Map<string, ResourceName>>, node: string, { type, title }: ResourceName): void {
  const known = found.get(node) ?? new Map<string, ResourceName>();
  known.set(`${type}[${title}]`, { type, title });
  found.set(node, known);
}

/** Orders nodes by the environment's graph, and by what they export for each other. */
export class EnvironmentOrder implements RunOrder {
  readonly #stores: Pick<Stores, 'nodes' | 'exports'>;
  readonly #graphs: DeployedGraphs;

  constructor(stores: Pick<Stores, 'nodes' | 'exports'>, graphs: DeployedGraphs) {
    this.#stores = stores;
    this.#graphs = graphs;
  }

  async order(environment: string, names: readonly string[]): Promise<readonly Precedence[]> {
    const graph = await this.#graphs.read(environment);
    const matches = await matchExports(names, this.#stores, graph.ignoredExports);
    return [...orderGroups(findGroupMembers(graph, names)), ...orderByExports(matches)];
  }
}
