import type { Value } from '../types/values.ts';
import type { NodeInput } from './ports.ts';

/** Variables that a scope has or does not have, but that are never unknown. */
export const BUILT_IN_VARIABLES: ReadonlySet<string> = new Set(['module_name', 'caller_module_name']);

/**
 * A top-scope variable that comes from the node: the classifier's parameters over the facts, and the hashes of both.
 * Each is read alone, so that it is recorded alone. Undefined when there is none.
 */
export function nodeVariable(node: NodeInput, name: string): Value | undefined {
  switch (name) {
    case 'facts':
      return node.facts;
    case 'trusted':
      return node.trusted;
    case 'server_facts':
      return node.serverFacts ?? undefined;
    case 'environment':
      return node.environment;
    default:
      if (/^\d/.test(name) || BUILT_IN_VARIABLES.has(name)) return undefined;
      return node.parameters.get(name) ?? node.facts.get(name);
  }
}

/** All of them. */
export function nodeVariables(node: NodeInput): ReadonlyMap<string, Value> {
  const all = new Map<string, Value>();
  for (const source of [node.facts, node.parameters]) {
    for (const [name, value] of source.entries()) if (typeof name === 'string') all.set(name, value);
  }
  all.set('environment', node.environment).set('facts', node.facts).set('trusted', node.trusted);
  if (node.serverFacts) all.set('server_facts', node.serverFacts);
  return all;
}
