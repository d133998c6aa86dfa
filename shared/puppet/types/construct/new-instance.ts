/** Evaluates `Type.new(...)`. Follows lib/puppet/functions/new.rb. */
import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { assertInstance } from '../assertion.ts';
import type { CallableType } from '../callable-type.ts';
import type { Constructor } from '../constructor.ts';
import { InitType } from '../init-type.ts';
import { describeSignatures } from '../mismatch-describer.ts';
import type { PType } from '../ptype.ts';
import { resolveAliases } from '../reference-types.ts';
import { Timestamp } from '../time/timestamp.ts';
import { parseType, type TypeResolver, WITHOUT_LOADER } from '../type-parser.ts';
import type { Value } from '../values/values.ts';
import { NotUndefType, OptionalType } from '../wrapper-types.ts';
import { basicConstructor } from './basic-constructors.ts';

/** External inputs of making an instance. */
interface NewInstanceOptions {
  /** Finds the types that `Type.new(text)` names. */
  readonly resolver?: TypeResolver | undefined;
  /** Nanoseconds since 1970, for `Timestamp.new()`. */
  readonly clock?: (() => bigint) | undefined;
}

/**
 * Makes an instance of the type from the arguments. A single argument that is already an instance
 * is returned unchanged. Throws PuppetError when the arguments are not accepted or the result is
 * not an instance.
 */
export function newInstance(type: PType, args: readonly Value[], options: NewInstanceOptions = {}): Value {
  const [first] = args;
  if (args.length === 1 && first !== undefined && !(type instanceof InitType) && type.isInstance(first)) return first;
  return assertInstance(`Converted value from ${type}.new()`, type, create(type, args, options));
}

function create(type: PType, args: readonly Value[], options: NewInstanceOptions): Value {
  const target = resolveAliases(type);
  if (target instanceof InitType) return createInit(target, args, options);
  if (target.kind === 'Timestamp' && args.length === 0 && options.clock) return new Timestamp(options.clock());
  const factory = basicConstructor(target);
  if (factory === null) {
    throw new PuppetError(ISSUES.NEW_NOT_SUPPORTED({ type: String(withoutWrapper(target)) }));
  }
  const created = construct(factory, args);
  return factory.name === 'new_type' ? parseType(String(created), options.resolver ?? WITHOUT_LOADER) : created;
}

/** The type behind Optional or NotUndef, whose constructor is used. */
function withoutWrapper(type: PType): PType {
  const isWrapper = type instanceof OptionalType || type instanceof NotUndefType;
  return isWrapper && type.type !== null ? withoutWrapper(resolveAliases(type.type)) : type;
}

function construct(factory: Constructor, args: readonly Value[]): Value {
  const found = factory.signatures.find((candidate) => takes(candidate.type, args));
  if (found) return found.create(args);
  const handler = factory.mismatches.find((candidate) => takes(candidate.type, args));
  if (handler)
    throw new PuppetError(ISSUES.CONSTRUCTOR_MISMATCH({ name: factory.name, detail: handler.message(args) }));
  throw new PuppetError(describeSignatures(factory.name, factory.signatures, args, null));
}

function takes(type: CallableType, args: readonly Value[]): boolean {
  return type.params?.isInstance(args) ?? true;
}

function createInit(init: InitType, args: readonly Value[], options: NewInstanceOptions): Value {
  const { type, accepted } = init;
  if (type === null || accepted === null) {
    throw new PuppetError(ISSUES.NEW_NOT_SUPPORTED({ type: String(init) }));
  }
  const [value] = args;
  if (args.length !== 1 || value === undefined) {
    throw new PuppetError(ISSUES.NEW_INIT_ARITY({ given: args.length === 0 ? 'none' : args.length }));
  }
  if (init.initArgs.length > 0) return newInstance(type, [value, ...init.initArgs], options);
  if (!Array.isArray(value)) return newInstance(type, [value], options);
  // Puppet: the case in which the array is the first of several arguments is never tried here.
  return newInstance(type, accepted.single.isInstance(value) ? [value] : value, options);
}
