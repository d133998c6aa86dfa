/**
 * Reads descriptions of functions and resource types sent by Ruby. Every reader throws WireError
 * for a malformed one.
 */

import type {
  LegacyFunctionDescription,
  RubyDataTypeDescription,
  RubyDispatch,
  RubyFunctionDescription,
  RubyParameter,
  RubyTitlePattern,
  RubyTypeDescription,
} from '../evaluator/ruby-port.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import { WireError } from './object-table.ts';

export function readDescription(value: Value): RubyFunctionDescription {
  const fields = assertHash(value);
  return {
    name: readText(fields, 'name'),
    dispatches: list(fields, 'dispatches').map(readDispatch),
    localTypes: list(fields, 'localTypes').map(String),
  };
}

export function readLegacyDescription(value: Value): LegacyFunctionDescription {
  const fields = assertHash(value);
  const type = readText(fields, 'type');
  if (type !== 'statement' && type !== 'rvalue') throw new WireError(`a function is of the unknown type ${type}`);
  return { name: readText(fields, 'name'), type, arity: Number(fields.get('arity') ?? -1) };
}

export function readTypeDescription(value: Value): RubyTypeDescription {
  const fields = assertHash(value);
  return {
    properties: list(fields, 'properties').map(String),
    parameters: list(fields, 'parameters').map(String),
    namevars: list(fields, 'namevars').map(String),
    titlePatterns: list(fields, 'titlePatterns').map(readTitlePattern),
    titleError: optionalText(fields, 'titleError'),
    isomorphic: fields.get('isomorphic') !== false,
    applyTo: readTarget(readText(fields, 'applyTo')),
    hasProvider: fields.get('hasProvider') === true,
  };
}

export function readDataTypeDescription(value: Value): RubyDataTypeDescription {
  const fields = assertHash(value);
  return {
    name: readText(fields, 'name'),
    interface: readText(fields, 'interface'),
    methods: list(fields, 'methods').map(String),
    hasOwnClass: fields.get('hasOwnClass') === true,
    takesHash: fields.get('takesHash') === true,
  };
}

function readTitlePattern(value: Value): RubyTitlePattern {
  const fields = assertHash(value);
  return {
    pattern: readText(fields, 'pattern'),
    groups: list(fields, 'groups').map(String),
    converts: fields.get('converts') === true,
  };
}

function readTarget(target: string): RubyTypeDescription['applyTo'] {
  if (target === 'host' || target === 'device' || target === 'both') return target;
  throw new WireError(`a resource type applies to the unknown target ${target}`);
}

function readDispatch(value: Value): RubyDispatch {
  const fields = assertHash(value);
  const block = fields.get('block') ?? null;
  return {
    method: readText(fields, 'method'),
    parameters: list(fields, 'parameters').map(readParameter),
    block: block === null ? null : readBlock(assertHash(block)),
    returns: optionalText(fields, 'returns'),
    isMismatch: fields.get('isMismatch') === true,
  };
}

function readParameter(value: Value): RubyParameter {
  const fields = assertHash(value);
  return { name: readText(fields, 'name'), type: readText(fields, 'type'), kind: readKind(readText(fields, 'kind')) };
}

function readKind(kind: string): RubyParameter['kind'] {
  if (kind === 'required' || kind === 'optional' || kind === 'repeated' || kind === 'required_repeated') return kind;
  throw new WireError(`a parameter is of the unknown kind ${kind}`);
}

function readBlock(fields: PuppetHash): RubyDispatch['block'] {
  return {
    name: readText(fields, 'name'),
    type: readText(fields, 'type'),
    isOptional: fields.get('isOptional') === true,
  };
}

function assertHash(value: Value): PuppetHash {
  if (value instanceof PuppetHash) return value;
  throw new WireError('a description is no hash');
}

function readText(fields: PuppetHash, name: string): string {
  const value = fields.get(name);
  if (typeof value === 'string') return value;
  throw new WireError(`a description lacks ${name}`);
}

function optionalText(fields: PuppetHash, name: string): string | null {
  return (fields.get(name) ?? null) === null ? null : readText(fields, name);
}

function list(fields: PuppetHash, name: string): readonly Value[] {
  const value = fields.get(name) ?? [];
  if (Array.isArray(value)) return value;
  throw new WireError(`a description has ${name} that are no list`);
}
