import { capitalizeEach } from '../../../types/text/text.ts';
/** Implements `scope` in a template, and `scope.to_hash`. */

import type { VisibleVariables } from '../../../evaluator/ruby-port.ts';
import { RubySymbol } from '../../../serialization/yaml.ts';
import { PuppetHash } from '../../../types/values/puppet-hash.ts';
import type { Value } from '../../../types/values/values.ts';
import type { CompileWorld } from '../compile-world.ts';
import { fallBack } from '../fallback.ts';
import {
  CATALOG,
  HeldParameter,
  HeldParameters,
  RubyFacade,
  type RubyResource,
  RubyScope,
  RubyVariables,
  UNKNOWN,
} from '../objects.ts';
import { assertText, byName, getArgument, type MethodCall, nameOf, noArguments, textArgument } from '../runtime.ts';
import { findHashMethod } from './hash-methods.ts';

const LEGACY = /^function_(\w+)$/;
const ENVIRONMENT = new RubyFacade({ to_s: ({ render }) => render.world.getSetting('environment') });
const COMPILER = new RubyFacade({ environment: () => ENVIRONMENT });

/** `world`: the world of that scope, which may differ from that of the code. */
export function callScopeMethod(name: string, call: MethodCall, world = call.render.world): Value {
  if (call.block) return fallBack('a block');
  switch (name) {
    case 'lookupvar':
    case '[]':
      return world.lookUp(textArgument(call));
    case 'include?':
      return (world.findVariable(textArgument(call)) ?? null) !== null;
    case 'exist?':
    case 'bound?':
    case 'has_local_variable?':
      return world.findVariable(textArgument(call)) !== undefined;
    case 'to_hash':
      noArguments(call);
      return new RubyVariables(world.variables());
    case 'resource':
      noArguments(call);
      return world.resource();
    case 'nil?':
      noArguments(call);
      return false;
    case 'catalog':
      noArguments(call);
      return CATALOG;
    case 'compiler':
      noArguments(call);
      return COMPILER;
    case 'find_global_scope':
    case 'topscope':
      noArguments(call);
      return new RubyScope(world.atTop());
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
    case 'send': {
      const [called = null, ...args] = call.args;
      return callLegacy(assertText(called), getArgument({ ...call, args }), world);
    }
    default:
      return callLegacy(name, getArgument(call), world);
  }
}

/** Returns the elements of `*value`: those of a hash are pairs, and nil has none. */
function spreadArguments(value: Value, { render }: MethodCall): readonly Value[] {
  if (Array.isArray(value)) return value;
  if (value === null) return [];
  if (typeof value !== 'object') return [value];
  if (!(value instanceof PuppetHash)) return fallBack('arguments');
  return Array.from(value.entries(), ([key, one]) => render.markOwn([key, one]));
}

function callLegacy(name: string, args: Value, world: CompileWorld): Value {
  const [, called] = LEGACY.exec(name) ?? [];
  if (called === undefined || !Array.isArray(args)) return fallBack(`${name} of the scope`);
  return world.callFunction(called, args, 'legacy', 'needed');
}

/** Implements questions to the catalog. */
export function callCatalogMethod(name: string, call: MethodCall): Value {
  const { render, args } = call;
  if (call.block) return fallBack('a block');
  switch (name) {
    case 'classes':
      noArguments(call);
      return render.markOwn([...render.world.listTags('classes')]);
    case 'resource': {
      const [type, title] = args.length === 1 ? referenceParts(textArgument(call)) : args.map(assertText);
      if (type === undefined || title === undefined || args.length > 2) return fallBack('arguments');
      const isClass = capitalize(type) === 'Class';
      return render.world.findResource(capitalize(type), isClass ? capitalize(title.replace(/^::/, '')) : title);
    }
    case 'nil?':
      noArguments(call);
      return false;
    default:
      return fallBack(`${name} of the catalog`);
  }
}

/** Splits `type[title]`. */
function referenceParts(text: string): readonly string[] {
  return /^([^[\]]+)\[([\s\S]+)\]$(?![\s\S])/.exec(text)?.slice(1) ?? fallBack('what is no reference');
}

/** Capitalizes each segment of a name, as Puppet's resources do. */
function capitalize(name: string): string {
  if (!/^[ -~]*$/.test(name)) return fallBack('a name of other characters');
  return capitalizeEach(name);
}

/** Implements reads of `scope.resource` and of what `catalog.resource` finds. */
export function callResourceMethod(name: string, call: MethodCall, resource: RubyResource): Value {
  const { type, title, parameters } = resource;
  if (name === '[]') {
    const parameter = nameOf(getArgument(call));
    return parameter === 'title' ? title : (parameters.get(parameter) ?? null);
  }
  noArguments(call);
  switch (name) {
    case 'to_hash': {
      const given = [...parameters].filter(([, value]) => value !== null);
      if (given.some(([, value]) => value === UNKNOWN)) fallBack('an object');
      const all = byName<Value>({
        ...Object.fromEntries(call.render.world.titleAttributes(type, title)),
        ...Object.fromEntries(given),
      });
      return call.render.markOwn(
        PuppetHash.of(Array.from(all, ([key, value]) => [new RubySymbol(key), value] as const)),
      );
    }
    case 'type':
      return type;
    case 'title':
      return title;
    case 'name':
      return parameters.get('name') ?? title;
    case 'parameters':
      return new HeldParameters(parameters);
    case 'nil?':
      return false;
    default:
      return fallBack(`${name} of a resource`);
  }
}

/** Implements reads of `resource.parameters`; it has symbols as keys. */
export function callParametersMethod(name: string, call: MethodCall, { parameters }: HeldParameters): Value {
  const given = getArgument(call);
  if (call.block || !['[]', 'key?', 'has_key?', 'include?'].includes(name)) return fallBack(`${name} of parameters`);
  const found = given instanceof RubySymbol ? parameters.get(given.name) : undefined;
  if (name !== '[]') return found !== undefined;
  return found === undefined ? null : new HeldParameter(found);
}

export function callParameterMethod(name: string, call: MethodCall, { held }: HeldParameter): Value {
  noArguments(call);
  if (name === 'nil?') return false;
  return name === 'value' ? held : fallBack(`${name} of a parameter`);
}

/**
 * Implements lookups by name on `scope.to_hash`. Methods that read every variable, apart from the
 * names, are left to Ruby.
 */
export function callVariablesMethod(name: string, call: MethodCall, variables: VisibleVariables): Value {
  const { render } = call;
  if (call.block) return fallBack('a block');
  if (render.world.transaction.isWaiting) return fallBack('variables behind a call');
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
