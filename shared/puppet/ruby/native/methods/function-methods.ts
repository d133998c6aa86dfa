/** The `self` of module functions. */
import type { Value } from '../../../types/values/values.ts';
import { fallBack } from '../fallback.ts';
import { DeferredCall, type DefinedModule, DefinedObject, FUNCTION, SCOPE } from '../objects.ts';
import { type DefinedMethod, type MethodCall, nameOf, noArguments, type SelfObject } from '../runtime.ts';
import { callKernelMethod, isKernelMethod } from './kernel-methods.ts';
import { callScopeMethod } from './scope-methods.ts';

/** Creates the `self` of a 4.x function, with the methods that it defines. */
export function functionSelf(methods: ReadonlyMap<string, DefinedMethod>): SelfObject {
  return {
    value: FUNCTION,
    call: (name, call) => {
      const method = methods.get(name);
      if (method) return callOfMethod(method, call);
      if (name === 'call_function') return callOfFunction(call);
      if (name !== 'closure_scope') return callKernelMethod(name, call);
      noArguments(call);
      return SCOPE;
    },
  };
}

/** Creates the `self` of code of a module or of an object, which may call all of its methods. */
function selfOf(value: DefinedModule | DefinedObject): SelfObject {
  const { methods } = value instanceof DefinedObject ? value.class : value;
  return {
    value,
    call: (name, call) => {
      const method = methods.get(name);
      return method ? callOfMethod(method, call) : callKernelMethod(name, call);
    },
  };
}

/** Calls a method of a module from code outside of it. */
export function callOfModule(module: DefinedModule, name: string, call: MethodCall): Value {
  if (module.isClass) {
    if (name !== 'new') return fallBack(`${module.name}.${name}`);
    noArguments(call);
    return new DefinedObject(module);
  }
  const method = module.dependent.has(name) ? undefined : module.methods.get(name);
  if (!method || call.block) return fallBack(`${module.name}.${name}`);
  return method(call.render.within(module, selfOf(module)), call.args);
}

/** Calls a method of an object from code outside of it. */
export function callOfDefinedObject(object: DefinedObject, name: string, call: MethodCall): Value {
  const method = object.class.methods.get(name);
  if (!method || call.block) return fallBack(`${name} of a ${object.class.name}`);
  return method(call.render.within(object, selfOf(object)), call.args);
}

/** The `self` of 3.x functions: a scope whose methods are functions. */
export const SCOPE_SELF: SelfObject = {
  value: SCOPE,
  call: (name, call) => (isKernelMethod(name) ? callKernelMethod(name, call) : callScopeMethod(name, call)),
};

function callOfMethod(method: DefinedMethod, { render, args, block, use = 'needed' }: MethodCall) {
  if (block) fallBack('a block');
  const result = method(render, args, use === 'last');
  return result instanceof DeferredCall && use === 'needed' ? fallBack('what a function gives') : result;
}

/** Implements `call_function(name, argument, ...)`. */
function callOfFunction({ render, args, block, use = 'needed' }: MethodCall) {
  const [called = null, ...given] = args;
  if (block) fallBack('a block');
  return render.world.callFunction(nameOf(called), given, 'own', use);
}
