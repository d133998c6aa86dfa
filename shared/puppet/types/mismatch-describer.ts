/**
 * Error texts for arguments and values of the wrong type. Follows
 * lib/puppet/pops/types/type_mismatch_describer.rb.
 */
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { CallableType } from './callable-type.ts';
import { sizeOf } from './collection-types.ts';
import { describe, mergeDescriptions } from './describe-types.ts';
import { inferSet } from './inference.ts';
import {
  countMismatch,
  createMissingBlock,
  createUnexpectedBlock,
  formatMismatch,
  type Mismatch,
  otherMismatch,
  type Path,
  withoutPathElement,
} from './mismatch.ts';
import { type PType, UNDEF } from './ptype.ts';
import { type StructType, TupleType } from './record-types.ts';
import type { PuppetHash } from './values/puppet-hash.ts';
import type { Value } from './values/values.ts';
import { OptionalType } from './wrapper-types.ts';

/**
 * `<name> expects ..., got ...`; several lines for several mismatches; empty when the types match.
 */
export function describeMismatch(name: string, expected: PType, actual: PType): string {
  const found = describe(expected, actual, [{ how: 'subject', key: name }]).map(formatMismatch);
  return found.length === 1 ? (found[0] ?? '').trim() : found.join('\n ');
}

/** A signature of a function, for error texts. */
export interface SignatureDescription {
  /** A Callable type. */
  readonly type: PType;
  readonly parameterNames: readonly string[];
  readonly blockName: string | null;
}

/**
 * The error text for a call that no signature accepts. `name` is the function's name, or `lambda`.
 * `blockType` is the type of the given block, or null.
 */
export function describeSignatures(
  name: string,
  signatures: readonly SignatureDescription[],
  args: readonly Value[],
  blockType: PType | null,
): string {
  const types = args.map(inferSet);
  return describeSignaturesOfTypes(name, signatures, new TupleType(blockType ? [...types, blockType] : types));
}

/** Like `describeSignatures`, for arguments given as types; a Callable at the end is the block. */
function describeSignaturesOfTypes(name: string, signatures: readonly SignatureDescription[], args: TupleType): string {
  const rejections = rejectionsOf(signatures, args);
  const label = name === 'lambda' ? 'block' : `'${name}'`;
  const merged = mergeDescriptions(0, 'count', rejections);
  const [only] = merged;
  if (merged.length === 1 && only) return `${label}${formatMismatch(only)}`;
  const [single] = signatures;
  if (signatures.length === 1 && single) {
    return [`${label} expects (${signatureText(single)})`, ...rejectionLines(rejections[0] ?? [], '  ')].join('\n');
  }
  const start = `The function ${label} was called with arguments it does not accept. It expects one of:`;
  const lines = signatures.flatMap((signature, index) => [
    `  (${signatureText(signature)})`,
    ...rejectionLines(rejections[index] ?? [], '    '),
  ]);
  return [start, ...lines].join('\n');
}

function rejectionLines(rejections: readonly Mismatch[], indent: string): string[] {
  return rejections.map((item) => `${indent}rejected:${formatMismatch(withoutPathElement(item, 0))}`);
}

/** Why each signature rejects the arguments, or the block when the arguments match. */
function rejectionsOf(signatures: readonly SignatureDescription[], args: TupleType): readonly (readonly Mismatch[])[] {
  const byArguments = signatures.map((item, index) =>
    describeArguments(item, args, [{ how: 'signature', key: index }]),
  );
  if (byArguments.every((found) => found.length > 0)) return byArguments;
  const byBlock = signatures.map((item, index) => describeBlock(item, args, [{ how: 'signature', key: index }]));
  if (byBlock.every((found) => found.length > 0)) return byBlock;
  return byArguments.map((found, index) => (found.length > 0 ? found : (byBlock[index] ?? [])));
}

function toCallable(signature: SignatureDescription): CallableType {
  return signature.type instanceof CallableType ? signature.type : new CallableType();
}

function describeArguments(signature: SignatureDescription, args: TupleType, path: Path): readonly Mismatch[] {
  const params = toCallable(signature).params ?? new TupleType();
  const hasBlock = args.types.at(-1)?.isKindOfCallable() ?? false;
  const types = hasBlock ? args.types.slice(0, -1) : args.types;
  const size = params.sizeRange;
  if (!size.covers(sizeOf(types.length))) return [countMismatch(path, size, sizeOf(types.length))];
  for (const [index, type] of types.entries()) {
    const at = Math.min(index, params.types.length - 1);
    const expected = params.types[at];
    if (!expected || expected.isAssignable(type)) continue;
    const name = signature.parameterNames[at] ?? '';
    const found = describe(expected, type, [...path, { how: 'parameter', key: name }]);
    if (found.length > 0) return found;
  }
  return [];
}

function describeBlock(signature: SignatureDescription, args: TupleType, path: Path): readonly Mismatch[] {
  const wanted = toCallable(signature).block;
  const given = args.types.at(-1);
  if (given?.isKindOfCallable()) {
    return wanted === null
      ? [createUnexpectedBlock(path)]
      : describe(wanted, given, [...path, { how: 'block', key: 'block' }]);
  }
  return wanted === null || wanted.isAssignable(UNDEF) ? [] : [createMissingBlock(path)];
}

/** The parameters of a signature as text: `Integer a, String b?, Any c*, Callable &block`. */
function signatureText(signature: SignatureDescription): string {
  const { params, block } = toCallable(signature);
  const size = (params ?? new TupleType()).sizeRange;
  if (size.from === 0n && size.to === 0n) return '';
  const types = params?.types ?? [];
  const names = signature.parameterNames.length > 0 ? signature.parameterNames : types.map(() => '');
  const required = Number(size.from ?? 0n);
  const shown = names.map((name, index) => {
    const type = types[index] ?? types.at(-1);
    if (size.to === null && index === names.length - 1)
      return `${type} ${name}${required === names.length ? '+' : '*'}`;
    if (index < required) return `${type} ${name}`;
    return `${type instanceof OptionalType ? type.type : type} ${name}?`;
  });
  if (block instanceof OptionalType) shown.push(`${block.type} ${signature.blockName}?`);
  else if (block instanceof CallableType) shown.push(`${block} ${signature.blockName}`);
  return shown.join(', ');
}

interface ParameterCheck {
  /** Whether required parameters may be missing. */
  readonly missingOk?: boolean;
  /**
   * The type of a parameter's future value: null when it is unknown, undefined when the present
   * value counts.
   */
  readonly standsFor?: (name: string) => PType | null | undefined;
}

/**
 * Checks a resource's parameters: each must be known and of the right type, and all required ones
 * must be given. Throws `<subject>: <what is wrong>`. With `missingOk` required parameters may be
 * missing.
 */
export function validateParameters(
  subject: string,
  parameters: StructType,
  given: PuppetHash,
  { missingOk = false, standsFor = () => undefined }: ParameterCheck = {},
): void {
  const unknown = [...given.keys()].map(String).filter((name) => !parameters.byName.has(name));
  const found = [
    ...unknown.map((name) => otherMismatch([], `has no parameter named '${name}'`)),
    ...parameters.elements.flatMap((element) => {
      const value = given.get(element.name);
      const standIn = standsFor(element.name);
      if (standIn !== undefined) return describeStandIn(element.name, element.valueType, standIn);
      if (value !== undefined) return describeParameter(element.name, element.valueType, value);
      const missing = !missingOk && !element.isOptional;
      return missing ? [otherMismatch([], `expects a value for parameter '${element.name}'`)] : [];
    }),
  ];
  throwIfAny(subject, found);
}

/** Checks a future value by its general type only. */
function describeStandIn(name: string, type: PType, standIn: PType | null): readonly Mismatch[] {
  if (standIn === null || type.generalize().isAssignable(standIn.generalize())) return [];
  return describe(type, standIn, [{ how: 'parameter', key: name }]);
}

function describeParameter(name: string, type: PType, value: Value): readonly Mismatch[] {
  return type.isInstance(value) ? [] : describe(type, inferSet(value), [{ how: 'parameter', key: name }]);
}

function throwIfAny(subject: string, found: readonly Mismatch[]): void {
  if (found.length === 0) return;
  throw new PuppetError(ISSUES.MISMATCH({ subject, details: found.map(formatMismatch) }));
}
