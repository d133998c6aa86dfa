import type { NodeInput } from '../../puppet/evaluator/ports.ts';
import { parseJson } from '../../puppet/serialization/json.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { Classification } from '../../store/ports/node-record.ts';

type ClassifiedInput = Pick<NodeInput, 'classes' | 'parameters' | 'configData'>;

/** Converts a classification for the compiler. Puppet: Puppet::Node::Exec#create_node */
export function classifiedInput(classification: Classification | null): ClassifiedInput {
  const { classes = [], parameters = {}, data = {} } = classification ?? {};
  const shown = isNames(classes) ? classes : hashOf(classes);
  return { classes: shown, parameters: hashOf(parameters), configData: hashOf(data) };
}

function isNames(classes: Classification['classes']): classes is readonly string[] {
  return Array.isArray(classes);
}

function hashOf(data: Readonly<Record<string, unknown>>): PuppetHash {
  const hash = parseJson(JSON.stringify(data));
  return hash instanceof PuppetHash ? hash : new PuppetHash();
}
