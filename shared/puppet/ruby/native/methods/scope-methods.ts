/** Implements `scope` in a template, and `scope.to_hash`. */

import type { VisibleVariables } from '../../../evaluator/ruby-port.ts';
import { RubySymbol } from '../../../serialization/yaml.ts';
import { PuppetHash } from '../../../types/values/puppet-hash.ts';
import type { Value } from '../../../types/values/values.ts';
import { fallBack } from '../fallback.ts';
import { type RubyResource, RubyVariables } from '../objects.ts';
import { assertText, getArgument, type MethodCall, noArguments, type TemplateWorld, textArgument } from '../runtime.ts';
import { findHashMethod } from './hash-methods.ts';

const LEGACY = /^function_(\w+)$/;

/** `world`: the world of that scope, which may differ from that of the code. */
export function callScopeMethod(name: string, call: MethodCall, world = call.render.world): Value {
  if (call.block) return fallBack('a block');
  switch (name) {
    case 'lookupvar':
    case '[]':
      return world.lookUp(textArgument(call));
    case 'include?':
      return world.hasValue(textArgument(call));
    case 'exist?':
    case 'bound?':
    case 'has_local_variable?':
      return world.hasVariable(textArgument(call));
    case 'to_hash':
      noArguments(call);
      return new RubyVariables(world.variables());
    case 'resource':
      noArguments(call);
      return world.resource();
    case 'nil?':
      noArguments(call);
      return false;
    case 'setvar':
    case '[]=': {
      const [variable, value = null] = call.args;
      if (call.args.length !== 2) return fallBack('arguments');
      world.setVariable(assertText(variable), value);
      return value;
    }
    case 'call_function': {
      const [called, args = null] = call.args;
      if (call.args.length !== 2) return fallBack('arguments');
      return world.callFunction(assertText(called), spreadArguments(args, call), 'scope', call.use ?? 'needed');
    }
    default:
      return callLegacy(name, getArgument(call), world);
  }
}

/** Returns the elements of `*value`: those of a hash are pairs. */
function spreadArguments(value: Value, { render }: MethodCall): readonly Value[] {
  if (Array.isArray(value)) return value;
  if (!(value instanceof PuppetHash)) return fallBack('arguments');
  return Array.from(value.entries(), ([key, one]) => render.markOwn([key, one]));
}

function callLegacy(name: string, args: Value, world: TemplateWorld): Value {
  const [, called] = LEGACY.exec(name) ?? [];
  if (called === undefined || !Array.isArray(args)) return fallBack(`${name} of the scope`);
  return world.callFunction(called, args, 'legacy', 'needed');
}

/** Implements reads of `scope.resource`. */
export function callResourceMethod(name: string, call: MethodCall, resource: RubyResource): Value {
  noArguments(call);
  switch (name) {
    case 'to_hash': {
      const entries = Array.from(resource.attributes, ([key, value]) => [new RubySymbol(key), value] as const);
      return call.render.markOwn(PuppetHash.of(entries));
    }
    case 'type':
      return resource.type;
    default:
      return fallBack(`${name} of a resource`);
  }
}

/**
 * Implements lookups by name on `scope.to_hash`. Methods that read every variable, apart from the
 * names, are left to Ruby.
 */
export function callVariablesMethod(name: string, call: MethodCall, variables: VisibleVariables): Value {
  const { render } = call;
  if (call.block) return fallBack('a block');
  if (render.world.isWaiting) return fallBack('variables behind a call');
  switch (name) {
    case 'has_key?':
    case 'key?':
    case 'include?':
    case 'member?':
      return variables.get(textArgument(call)) !== undefined;
    case '[]':
      return variables.get(textArgument(call)) ?? null;
    case 'fetch':
    case 'dig':
      return callHashMethod(name, call, subset(variables, call.args.slice(0, 1)));
    case 'values_at':
    case 'slice':
      return callHashMethod(name, call, subset(variables, call.args));
    case 'keys':
      noArguments(call);
      return render.markOwn([...variables.all().keys()]);
    default:
      return fallBack(`${name} of all variables`);
  }
}

/** Returns the named variables. */
function subset(variables: VisibleVariables, names: readonly Value[]): PuppetHash {
  const found = names.map((name) => [assertText(name), variables.get(assertText(name))] as const);
  return PuppetHash.of(found.filter((pair): pair is readonly [string, Value] => pair[1] !== undefined));
}

function callHashMethod(name: string, call: MethodCall, hash: PuppetHash): Value {
  return findHashMethod(name)?.(hash, call) ?? fallBack(`${name} of all variables`);
}
