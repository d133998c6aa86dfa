/** The signatures and bodies of `new` for each type. */
import { CallableType } from './callable-type.ts';
import { infer } from './inference.ts';
import type { PType } from './ptype.ts';
import { TupleType } from './record-types.ts';
import { TypeAliasType } from './reference-types.ts';
import { IntegerType } from './scalar-types.ts';
import type { Value } from './values/values.ts';

/** One signature of `new`. */
export interface ConstructorSignature {
  readonly type: CallableType;
  readonly parameterNames: readonly string[];
  readonly blockName: null;
  readonly create: (args: readonly Value[]) => Value;
}

/** Makes the error for arguments of these types, which no signature accepts. */
interface ConstructorMismatch {
  readonly type: CallableType;
  readonly message: (args: readonly Value[]) => string;
}

export interface Constructor {
  /** The name in errors: `new_boolean`. */
  readonly name: string;
  readonly signatures: readonly ConstructorSignature[];
  readonly mismatches: readonly ConstructorMismatch[];
}

/** The types of parameters by name, in order. A `?` behind a name makes it optional. */
type ParameterTypes = Readonly<Record<string, PType>>;

function callableOf(params: ParameterTypes): CallableType {
  const names = Object.keys(params);
  const required = names.filter((name) => !name.endsWith('?')).length;
  const size = new IntegerType(BigInt(required), BigInt(names.length));
  return new CallableType(new TupleType(Object.values(params), size));
}

export function createSignature(
  params: ParameterTypes,
  create: (args: readonly Value[]) => Value,
): ConstructorSignature {
  const parameterNames = Object.keys(params).map((name) => name.replace(/\?$/, ''));
  return { type: callableOf(params), parameterNames, blockName: null, create };
}

export function mismatchHandler(
  params: ParameterTypes,
  message: (args: readonly Value[]) => string,
): ConstructorMismatch {
  return { type: callableOf(params), message };
}

/** A named type that is local to the signatures of a constructor. */
export function localType(name: string, type: PType, normalizes = true): PType {
  return new TypeAliasType(name, () => type, normalizes);
}

/**
 * Error text such as `The string 'x' cannot be converted to Integer`; other values get a similar
 * one.
 */
export function cannotConvert(value: Value, target: string): string {
  if (typeof value === 'string') return `The string '${value}' cannot be converted to ${target}`;
  return `Value of type ${infer(value).generalize()} cannot be converted to ${target}`;
}
