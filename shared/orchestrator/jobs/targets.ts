import { allNodes } from '../../store/list-pages.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { isJsonObject } from '../../util/json-object.ts';
import type { TargetQueries } from './inventory-queries.ts';
import { OrchestratorError } from './orchestrator-error.ts';
import { checkBody, invalidRequest, type JsonObject, stringsOf, textOf } from './request-body.ts';

/** The targets of a job, as its request names them: the orchestrator API's `scope`. */
export type TargetScope =
  | { readonly kind: 'nodes'; readonly nodes: readonly string[] }
  /** PQL, or a query's syntax tree. */
  | { readonly kind: 'query'; readonly query: string | readonly unknown[] }
  | { readonly kind: 'node_group'; readonly id: string }
  | { readonly kind: 'application'; readonly name: string }
  | { readonly kind: 'environment' };

/** Finds the nodes of a scope: the port to queries, node groups and applications. */
export interface TargetResolver {
  /** Lists the ids of a node group's ancestors. */
  listGroupsAbove(id: string): Promise<readonly string[]>;
  /** The certnames, each once. Rejects with OrchestratorError. */
  resolve(scope: TargetScope, environment: string): Promise<readonly string[]>;
}

/** Finds the nodes of applications: the port to the declarations of applications. */
export interface ApplicationNodes {
  /** The certnames, each once. Rejects with OrchestratorError for an unknown application. */
  find(name: string, environment: string): Promise<readonly string[]>;
}

/** Finds the nodes of node groups: the port to a classifier. */
export interface NodeGroupNodes {
  /** The certnames, each once. Rejects with OrchestratorError for an unknown group. */
  find(id: string): Promise<readonly string[]>;
  /** Lists the ids of the ancestors: a permission for one of them covers the group. */
  listAbove(id: string): Promise<readonly string[]>;
}

/** Finds the nodes of scopes other than names and environments; null: not available. */
interface TargetServices {
  readonly queries: TargetQueries | null;
  readonly applications: ApplicationNodes | null;
  readonly nodeGroups: NodeGroupNodes | null;
}

const KEYS = { nodes: 'strings', query: 'any', node_group: 'string', application: 'string' } as const;

/** Reads the scope of a request. Throws OrchestratorError unless it has exactly one known key. */
export function readScope(scope: unknown): TargetScope {
  if (!isJsonObject(scope)) throw invalidRequest('scope must be an object', { scope });
  if (Object.keys(scope).length !== 1) throw invalidRequest('scope must have exactly one key', { scope });
  return readSoleKey(checkBody(scope, KEYS, []), scope);
}

function readSoleKey(checked: JsonObject, scope: JsonObject): TargetScope {
  if (Object.keys(checked).length === 0) throw invalidRequest('scope must have exactly one key', { scope });
  if (checked.nodes !== undefined) return { kind: 'nodes', nodes: [...new Set(stringsOf(checked, 'nodes'))] };
  if (checked.node_group !== undefined) return { kind: 'node_group', id: textOf(checked, 'node_group') };
  if (checked.application !== undefined) return { kind: 'application', name: textOf(checked, 'application') };
  const { query } = checked;
  if (typeof query === 'string' || Array.isArray(query)) return { kind: 'query', query };
  throw invalidRequest('query must be a PQL string or a list', { scope });
}

/** Resolves names and environments itself, and other scopes by the given services. */
export class ScopeResolver implements TargetResolver {
  readonly #nodes: Stores['nodes'];
  readonly #services: TargetServices;

  constructor(nodes: Stores['nodes'], services: TargetServices) {
    this.#nodes = nodes;
    this.#services = services;
  }

  async listGroupsAbove(id: string): Promise<readonly string[]> {
    return this.#services.nodeGroups?.listAbove(id) ?? [];
  }

  async resolve(scope: TargetScope, environment: string): Promise<readonly string[]> {
    const { applications, nodeGroups } = this.#services;
    switch (scope.kind) {
      case 'nodes':
        return scope.nodes;
      case 'environment':
        return this.#listEnvironment(environment);
      case 'query':
        return this.#query(scope.query);
      case 'node_group':
        if (nodeGroups === null) throw createMissingError(`The node group ${scope.id} as target needs the classifier`);
        return nodeGroups.find(scope.id);
      default:
        if (applications === null)
          throw createMissingError(`The application ${scope.name} as target needs environment graphs`);
        return applications.find(scope.name, environment);
    }
  }

  #query(query: string | readonly unknown[]): Promise<readonly string[]> {
    const { queries } = this.#services;
    if (queries !== null) return queries.find(query);
    const message =
      'A query as target needs the inventory, which this server does not have: see ' +
      '--puppetdb-port, or understudy:inventory in AWS';
    throw new OrchestratorError('puppetdb-error', message, { query });
  }

  async #listEnvironment(environment: string): Promise<readonly string[]> {
    const names: string[] = [];
    for await (const page of allNodes(this.#nodes)) {
      names.push(...page.filter((node) => node.environment === environment).map(({ certname }) => certname));
    }
    return names;
  }
}

function createMissingError(what: string): OrchestratorError {
  return new OrchestratorError('not-available', `${what}, which this server does not have yet`);
}
