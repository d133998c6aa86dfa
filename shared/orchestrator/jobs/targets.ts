import { allNodes } from '../../store/all-nodes.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { isJsonObject } from '../../util/json-object.ts';
import type { TargetQueries } from './inventory-queries.ts';
import { OrchestratorError } from './orchestrator-error.ts';
import { checkBody, invalidRequest, type JsonObject, stringsOf, textOf } from './request-body.ts';

/** Which nodes a job is about, as the request says it. */
export type TargetScope =
  | { readonly kind: 'nodes'; readonly nodes: readonly string[] }
  /** PQL, or a query's syntax tree. */
  | { readonly kind: 'query'; readonly query: string | readonly unknown[] }
  | { readonly kind: 'node_group'; readonly id: string }
  | { readonly kind: 'application'; readonly name: string }
  | { readonly kind: 'environment' };

/** Finds the nodes of a scope: the port to queries, node groups and applications. */
export interface TargetResolver {
  /** The certnames, each once. Rejects with OrchestratorError. */
  resolve(scope: TargetScope, environment: string): Promise<readonly string[]>;
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

/** Nodes by name, by query, and all nodes of an environment. Other scopes need other services. */
export class KnownTargets implements TargetResolver {
  readonly #nodes: Stores['nodes'];
  readonly #queries: TargetQueries | null;

  /** `queries` is null without an inventory. */
  constructor(nodes: Stores['nodes'], queries: TargetQueries | null) {
    this.#nodes = nodes;
    this.#queries = queries;
  }

  async resolve(scope: TargetScope, environment: string): Promise<readonly string[]> {
    switch (scope.kind) {
      case 'nodes':
        return scope.nodes;
      case 'environment':
        return this.#listEnvironment(environment);
      case 'query':
        return this.#query(scope.query);
      case 'node_group':
        throw missing(`The node group ${scope.id} as target needs the classifier`);
      default:
        throw missing(`The application ${scope.name} as target needs application orchestration`);
    }
  }

  #query(query: string | readonly unknown[]): Promise<readonly string[]> {
    if (this.#queries !== null) return this.#queries.find(query);
    const message = 'A query as target needs the inventory, which this server does not have: see --puppetdb-port';
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

function missing(what: string): OrchestratorError {
  return new OrchestratorError('not-available', `${what}, which this server does not have yet`);
}
