/** `scope` in a template, and `scope.to_hash`. */
import type { Value } from '../../types/values.ts';
import { fallBack } from './fallback.ts';
import { VARIABLES } from './objects.ts';
import { argument, type MethodCall, noArguments, type TemplateWorld, text, textArgument } from './runtime.ts';

const LEGACY = /^function_(\w+)$/;

/** `world`: that of the scope, which may be another than that of the code. */
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
      return world === call.render.world ? VARIABLES : fallBack('variables of another scope');
    case 'nil?':
      noArguments(call);
      return false;
    case 'setvar':
    case '[]=': {
      const [variable, value = null] = call.args;
      if (call.args.length !== 2) return fallBack('arguments');
      world.setVariable(text(variable), value);
      return value;
    }
    case 'call_function': {
      const [called, args = null] = call.args;
      if (call.args.length !== 2 || !Array.isArray(args)) return fallBack('arguments');
      return world.callFunction(text(called), args, false, call.use ?? 'needed');
    }
    default:
      return callLegacy(name, argument(call), world);
  }
}

function callLegacy(name: string, args: Value, world: TemplateWorld): Value {
  const [, called] = LEGACY.exec(name) ?? [];
  if (called === undefined || !Array.isArray(args)) return fallBack(`${name} of the scope`);
  return world.callFunction(called, args, true, 'needed');
}

export function callVariablesMethod(name: string, call: MethodCall): Value {
  const { world } = call.render;
  if (call.block) return fallBack('a block');
  switch (name) {
    case 'has_key?':
    case 'key?':
    case 'include?':
    case 'member?':
      return world.variable(textArgument(call)) !== undefined;
    case '[]': {
      const value = world.variable(textArgument(call));
      return value === undefined ? null : world.lookUp(textArgument(call));
    }
    case 'keys':
      noArguments(call);
      return call.render.own([...world.variableNames()]);
    default:
      return fallBack(`${name} of all variables`);
  }
}
