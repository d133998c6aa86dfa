import type { NodeInput } from '../../puppet/evaluator/ports.ts';
import { parseJson } from '../../puppet/serialization/json.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { Classification } from '../../store/ports/node-record.ts';

/** Converts a classification for the compiler. Puppet: Puppet::Node::Exec#create_node */
export function classifiedInput(classification: Classification | null): Pick<NodeInput, 'classes' | 'parameters'> {
  const { classes = [], parameters = {} } = classification ?? {};
  return { classes: isNames(classes) ? classes : hashOf(classes), parameters: hashOf(parameters) };
}

function isNames(classes: Classification['classes']): classes is readonly string[] {
  return Array.isArray(classes);
}

function hashOf(data: Readonly<Record<string, unknown>>): PuppetHash {
  const hash = parseJson(JSON.stringify(data));
  return hash instanceof PuppetHash ? hash : new PuppetHash();
}
