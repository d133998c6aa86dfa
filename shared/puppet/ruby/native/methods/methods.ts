import { LookupContext } from '../../../hiera/lookup-context.ts';
import { RubySymbol } from '../../../serialization/yaml.ts';
import { BytesText } from '../../../types/values/bytes-text.ts';
import { PuppetHash } from '../../../types/values/puppet-hash.ts';
import { PuppetRegexp } from '../../../types/values/regexp.ts';
import { Sensitive, type Value } from '../../../types/values/values.ts';
import { EXCEPTION_METHODS, isException, RubyException, refuseNil } from '../exceptions.ts';
import { fallBack } from '../fallback.ts';
import {
  CATALOG,
  DefinedModule,
  DefinedObject,
  HeldParameter,
  HeldParameters,
  RubyClass,
  RubyFacade,
  RubyLambda,
  RubyMatch,
  RubyRange,
  RubyResource,
  RubyScope,
  RubySpecial,
  RubyVariables,
} from '../objects.ts';
import { BreakJump, getArgument, type MethodCall, nameOf, ReturnJump, type RubyMethod } from '../runtime.ts';
import { isEqual, isInstanceOf } from '../text-form.ts';
import { ADDRESS_METHODS, RubyAddress } from './address-methods.ts';
import { findArrayMethod } from './array-methods.ts';
import {
  BOOLEAN_METHODS,
  COMMON,
  findRangeMethod,
  NIL_METHODS,
  SENSITIVE_METHODS,
  SYMBOL_METHODS,
} from './common-methods.ts';
import { callContextMethod } from './context-methods.ts';
import { callEnumerator, RubyEnumerator } from './enumerators.ts';
import { callOfDefinedObject, callOfModule } from './function-methods.ts';
import { findHashMethod } from './hash-methods.ts';
import { findLibraryMethod } from './library-methods.ts';
import { FLOAT_METHODS, INTEGER_METHODS } from './number-methods.ts';
import { callRegexpClass, MATCH_METHODS, REGEXP_METHODS } from './regexp-methods.ts';
import {
  callCatalogMethod,
  callParameterMethod,
  callParametersMethod,
  callResourceMethod,
  callScopeMethod,
  callVariablesMethod,
} from './scope-methods.ts';
import { STRING_METHODS } from './string-methods.ts';
import { callHostConstant, HostConstant, RubyVersion, VERSION_METHODS } from './version-methods.ts';

/** Calls the method of that name. Throws Fallback for everything that is not known here. */
export function callMethod(self: Value, name: string, call: MethodCall): Value {
  switch (typeof self) {
    case 'string':
      return run(STRING_METHODS.get(name), self, name, call);
    case 'bigint':
      return run(INTEGER_METHODS.get(name), self, name, call);
    case 'number':
      return run(FLOAT_METHODS.get(name), self, name, call);
    case 'boolean':
      return run(BOOLEAN_METHODS.get(name), self, name, call);
    default:
      return callOfObject(self, name, call);
  }
}

/**
 * Returns a function that calls the method of that name, as `callMethod` does. It finds the methods
 * of texts, arrays and hashes once.
 */
export function methodCaller(name: string): (self: Value, call: MethodCall) => Value {
  const common = COMMON.get(name);
  const ofText = STRING_METHODS.get(name) ?? common;
  const ofArray = findArrayMethod(name) ?? common;
  const ofHash = findHashMethod(name) ?? common;
  return (self, call) => {
    if (typeof self === 'string') return ofText ? ofText(self, call) : fallBack(`the method ${name}`);
    if (ofArray && Array.isArray(self)) return ofArray(self, call);
    if (ofHash && self instanceof PuppetHash) return ofHash(self, call);
    return callMethod(self, name, call);
  };
}

function callOfObject(self: Value, name: string, call: MethodCall): Value {
  if (self === null) return run(NIL_METHODS.get(name), self, name, call);
  if (Array.isArray(self)) return run(findArrayMethod(name), self, name, call);
  if (self instanceof PuppetHash) return run(findHashMethod(name), self, name, call);
  if (self instanceof RubySymbol) return run(SYMBOL_METHODS.get(name), self, name, call);
  if (self instanceof RubyRange) return run(findRangeMethod(name), self, name, call);
  if (self instanceof PuppetRegexp) return run(REGEXP_METHODS.get(name), self, name, call);
  if (self instanceof RubyLambda && name === 'call') return callLambda(self, call);
  if (self instanceof RubyMatch) return run(MATCH_METHODS.get(name), self, name, call);
  if (self instanceof RubyClass) return callOfClass(self, name, call);
  if (self instanceof DefinedModule) return callOfModule(self, name, call);
  if (self instanceof DefinedObject) return callOfDefinedObject(self, name, call);
  if (self instanceof Sensitive) return run(SENSITIVE_METHODS.get(name), self, name, call);
  if (self instanceof RubyAddress) return run(ADDRESS_METHODS.get(name), self, name, call);
  if (self instanceof RubyException) return run(EXCEPTION_METHODS.get(name), self, name, call);
  if (self instanceof RubyEnumerator) return callEnumerator(self, name, call);
  if (self instanceof RubyScope) return callScopeMethod(name, call, self.world);
  if (self instanceof RubySpecial && self.what === 'scope') return callScopeMethod(name, call);
  if (self instanceof LookupContext) return callContextMethod(self, name, call);
  if (self instanceof HostConstant) return callHostConstant(self, name, call);
  if (self instanceof RubyVersion) return run(VERSION_METHODS.get(name), self, name, call);
  if (self instanceof RubyResource) return callResourceMethod(name, call, self);
  if (self instanceof RubyFacade) return (self.methods.get(name) ?? fallBack(`${name} of an object`))(call);
  if (self instanceof HeldParameters) return callParametersMethod(name, call, self);
  if (self instanceof HeldParameter) return callParameterMethod(name, call, self);
  if (self instanceof BytesText && name === '==') return isEqual(self, getArgument(call));
  if (self === CATALOG) return callCatalogMethod(name, call);
  if (self instanceof RubyVariables) return callVariablesMethod(name, call, self.visible);
  return fallBack(`${name} of an object`);
}

function run<T extends Value>(method: RubyMethod<T> | undefined, self: T, name: string, call: MethodCall): Value {
  const found = method ?? COMMON.get(name);
  if (found) return found(self, call);
  return self === null ? refuseNil(name) : fallBack(`the method ${name}`);
}

function callLambda({ code }: RubyLambda, { args, block }: MethodCall): Value {
  if (args.length !== 1 || block) return fallBack('arguments');
  try {
    return code.call(args);
  } catch (error) {
    if (error instanceof BreakJump) return fallBack('break in a lambda');
    if (error instanceof ReturnJump) return error.value;
    throw error;
  }
}

function callOfClass(self: RubyClass, name: string, call: MethodCall): Value {
  if (self.name === 'Regexp') return callRegexpClass(name, call);
  const method = findLibraryMethod(self.name, name);
  if (method) return method(call);
  const [given = null] = call.args;
  if (call.args.length !== 1 || call.block) return fallBack(`${self.name}.${name}`);
  if (name === 'const_defined?') return isException(`${self.name}::${nameOf(given)}`) || fallBack(name);
  if (name === '===') return isInstanceOf(given, self.name);
  if (name === '==') return given instanceof RubyClass ? given.name === self.name : fallBack('a class compared');
  return fallBack(`${self.name}.${name}`);
}
