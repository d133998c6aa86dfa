import { freezeDeep } from '../types/values/frozen.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import type { NodeInput } from './ports.ts';

/** Variables that may be unset but are never unknown. */
export const BUILT_IN_VARIABLES: ReadonlySet<string> = new Set(['module_name', 'caller_module_name']);

/**
 * Returns a top-scope variable that comes from the node; undefined when there is none. The
 * classifier's parameters take precedence over facts, facts over server facts; `facts`, `trusted`
 * and `server_facts` are the hashes themselves. Only the value read is recorded as an input. Values
 * sent by the node are frozen. Puppet: Scope#set_facts, lib/puppet/parser/scope.rb;
 * Node#add_server_facts, lib/puppet/node.rb
 */
export function nodeVariable(node: NodeInput, name: string): Value | undefined {
  if (node.isAbsent) return undefined;
  switch (name) {
    case 'facts':
      return freezeDeep(node.facts);
    case 'trusted':
      return freezeDeep(node.trusted);
    case 'server_facts':
      return freezeDeep(node.serverFacts) ?? undefined;
    case 'environment':
      return node.environment;
    default:
      if (startsWithDigit(name) || name === 'module_name') return undefined;
      return findSentVariable(node, name);
  }
}

/**
 * Finds a variable among the classifier's parameters and the facts. One with undef counts as
 * present.
 */
function findSentVariable(node: NodeInput, name: string): Value | undefined {
  const parameter = node.parameters.get(name);
  return parameter !== undefined || BUILT_IN_VARIABLES.has(name) ? parameter : sentFact(node, name);
}

function sentFact(node: NodeInput, name: string): Value | undefined {
  const fact = freezeDeep(node.facts.get(name));
  return fact === undefined ? node.serverFacts?.get(name) : fact;
}

/** Whether the name starts with a digit, as match variables do. */
export function startsWithDigit(name: string): boolean {
  const first = name.charCodeAt(0);
  return first >= ZERO && first <= NINE;
}

const ZERO = 48;
const NINE = 57;

/** Returns one variable of `nodeVariables`, recorded alone; undefined when there is none. */
export function listedNodeVariable(node: NodeInput, name: string): Value | undefined {
  if (node.isAbsent) return undefined;
  switch (name) {
    case 'facts':
    case 'trusted':
    case 'environment':
      return nodeVariable(node, name);
    default:
      if (name === 'server_facts' && node.serverFacts) return freezeDeep(node.serverFacts);
      return node.parameters.has(name) ? node.parameters.get(name) : sentFact(node, name);
  }
}

/** Returns all top-scope variables of the node. */
export function nodeVariables(node: NodeInput): ReadonlyMap<string, Value> {
  const all = new Map<string, Value>();
  if (node.isAbsent) return all;
  for (const source of [node.serverFacts ?? new PuppetHash(), freezeDeep(node.facts), node.parameters]) {
    for (const [name, value] of source.entries()) if (typeof name === 'string') all.set(name, value);
  }
  all.set('environment', node.environment).set('facts', node.facts).set('trusted', freezeDeep(node.trusted));
  if (node.serverFacts) all.set('server_facts', freezeDeep(node.serverFacts));
  return all;
}
