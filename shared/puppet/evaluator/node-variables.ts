import { freezeDeep } from '../types/values/frozen.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import type { NodeInput } from './ports.ts';

/** Variables that a scope has or does not have, but that are never unknown. */
export const BUILT_IN_VARIABLES: ReadonlySet<string> = new Set(['module_name', 'caller_module_name']);

/**
 * A top-scope variable that comes from the node: the classifier's parameters over the facts over
 * what the server says of itself, and the hashes of them. Each is read alone, so that it is
 * recorded alone. Undefined when there is none. What the node sent is frozen. Puppet:
 * Scope#set_facts, lib/puppet/parser/scope.rb; Node#add_server_facts, lib/puppet/node.rb
 */
export function nodeVariable(node: NodeInput, name: string): Value | undefined {
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

/** Of the classifier's parameters and the facts those count that are there, undef or not. */
function findSentVariable(node: NodeInput, name: string): Value | undefined {
  const parameter = node.parameters.get(name);
  return parameter !== undefined || BUILT_IN_VARIABLES.has(name) ? parameter : sentFact(node, name);
}

function sentFact(node: NodeInput, name: string): Value | undefined {
  const fact = freezeDeep(node.facts.get(name));
  return fact === undefined ? node.serverFacts?.get(name) : fact;
}

/** Match variables do. */
export function startsWithDigit(name: string): boolean {
  const first = name.charCodeAt(0);
  return first >= ZERO && first <= NINE;
}

const ZERO = 48;
const NINE = 57;

/** One as `nodeVariables` has it, read alone; undefined when there is none. */
export function listedNodeVariable(node: NodeInput, name: string): Value | undefined {
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

/** All of them. */
export function nodeVariables(node: NodeInput): ReadonlyMap<string, Value> {
  const all = new Map<string, Value>();
  for (const source of [node.serverFacts ?? new PuppetHash(), freezeDeep(node.facts), node.parameters]) {
    for (const [name, value] of source.entries()) if (typeof name === 'string') all.set(name, value);
  }
  all.set('environment', node.environment).set('facts', node.facts).set('trusted', freezeDeep(node.trusted));
  if (node.serverFacts) all.set('server_facts', freezeDeep(node.serverFacts));
  return all;
}
