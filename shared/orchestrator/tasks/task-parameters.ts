import { PuppetError } from '../../puppet/errors/puppet-error.ts';
import { describe } from '../../puppet/types/describe-types.ts';
import { inferSet } from '../../puppet/types/inference.ts';
import { formatMismatch } from '../../puppet/types/mismatch.ts';
import { type PType, UNDEF } from '../../puppet/types/ptype.ts';
import { parseType } from '../../puppet/types/type-parser.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { Value } from '../../puppet/types/values/values.ts';
import { isJsonObject } from '../../util/json-object.ts';
import { type CheckedParameters, UnusableTask } from './task-library.ts';

/** A parameter of a task, as its metadata describe it. */
interface TaskParameter {
  readonly name: string;
  readonly type: PType;
  /** The type as written. */
  readonly typeText: string;
  readonly isSensitive: boolean;
  /** Undefined without one. */
  readonly defaultValue: unknown;
}

/** Puppet's pattern of names: lib/puppet/pops/types/type_factory.rb, `task`. */
const PARAMETER_NAME = /^[a-z][a-z0-9_]*$/;

/** Nesting that Ruby's JSON parser accepts; agents read their input with it. */
const MOST_NESTING = 100;

/**
 * The parameters in a task's metadata; null when it has none, so that anything goes. `aliases` are
 * the texts of type aliases by name; nothing has a type of another unknown name. Throws
 * UnusableTask, as lib/puppet/pops/loader/task_instantiator.rb does, when they are malformed.
 */
export function readParameters(
  task: string,
  { parameters }: Readonly<Record<string, unknown>>,
  aliases: Readonly<Record<string, string>>,
): readonly TaskParameter[] | null {
  if (parameters === undefined || parameters === null) return null;
  if (!isJsonObject(parameters)) throw invalidMetadata(task, "'parameters' must be a hash");
  return Object.entries(parameters).map(([name, described]) => readParameter(task, name, described, aliases));
}

function readParameter(
  task: string,
  name: string,
  described: unknown,
  aliases: Readonly<Record<string, string>>,
): TaskParameter {
  if (!PARAMETER_NAME.test(name)) throw invalidMetadata(task, `'${name}' is not a valid parameter name`);
  if (!isJsonObject(described)) throw invalidMetadata(task, `parameter '${name}' must be a hash`);
  const typeText = described.type ?? 'Any';
  if (typeof typeText !== 'string') throw invalidMetadata(task, `the type of parameter '${name}' must be a string`);
  const type = readType(task, name, typeText, aliases);
  return { name, type, typeText, isSensitive: described.sensitive === true, defaultValue: described.default };
}

function readType(task: string, name: string, text: string, aliases: Readonly<Record<string, string>>): PType {
  try {
    return parseType(text, Object.keys(aliases).length === 0 ? null : aliases);
  } catch (error) {
    if (!(error instanceof PuppetError)) throw error;
    throw invalidMetadata(task, `the type of parameter '${name}' cannot be read: ${error.message}`);
  }
}

function invalidMetadata(task: string, reason: string): UnusableTask {
  return new UnusableTask('puppet.tasks/invalid-metadata', `Failed to load metadata for task ${task}: ${reason}`);
}

/**
 * Compares values with a task's parameters. Messages are those of Puppet's
 * TypeMismatchDescriber#describe_struct_signature; a sensitive value is never part of one.
 */
export function checkTaskParameters(
  parameters: readonly TaskParameter[] | null,
  given: Readonly<Record<string, unknown>>,
): CheckedParameters {
  if (parameters === null) return { input: given, faults: Object.entries(given).flatMap(describeFreeParameter) };
  const known = new Set(parameters.map(({ name }) => name));
  const unknown = Object.keys(given).filter((name) => !known.has(name));
  const input = new Map(Object.entries(given));
  for (const { name, defaultValue } of parameters) {
    // Bolt: a null value gets the default, too.
    if (defaultValue !== undefined && (input.get(name) ?? null) === null) input.set(name, defaultValue);
  }
  return {
    input: Object.fromEntries(input),
    faults: [
      ...unknown.map((name) => `has no parameter named '${name}'`),
      ...parameters.flatMap((parameter) => describeFaults(parameter, input)),
    ],
  };
}

/** Puppet: without metadata, names must be valid all the same (`T_GENERIC_TASK_HASH`). */
function describeFreeParameter([name, value]: readonly [string, unknown]): readonly string[] {
  if (!PARAMETER_NAME.test(name)) return [`'${name}' is not a valid parameter name`];
  return isTooDeep(value) ? [describeDepth(name)] : [];
}

function describeFaults(parameter: TaskParameter, input: ReadonlyMap<string, unknown>): readonly string[] {
  const { name, type, typeText, isSensitive } = parameter;
  if (!input.has(name)) return type.isAssignable(UNDEF) ? [] : [`expects a value for parameter '${name}'`];
  const fault = describeValueFault({ name, type, typeText, isSensitive }, input.get(name));
  return fault === null ? [] : [fault];
}

/**
 * Compares a JSON value with the type of a parameter. Returns the message of Puppet's
 * TypeMismatchDescriber, without the value if it is sensitive; null when the value fits.
 */
export function describeValueFault(
  { name, type, typeText, isSensitive }: Omit<TaskParameter, 'defaultValue'>,
  value: unknown,
): string | null {
  if (isTooDeep(value)) return describeDepth(name);
  const asIntegers = toPuppetValue(value, BigInt);
  if (type.isInstance(asIntegers) || type.isInstance(toPuppetValue(value, Number))) return null;
  if (isSensitive) return `parameter '${name}' expects a value of type ${typeText}, got another, sensitive one`;
  const found = describe(type, inferSet(asIntegers), [{ how: 'parameter', key: name }]);
  return found.map((mismatch) => formatMismatch(mismatch).trim()).join('; ');
}

function describeDepth(name: string): string {
  return `parameter '${name}' is nested more than ${MOST_NESTING} levels deep`;
}

function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth >= MOST_NESTING || Object.values(value).some((member) => isTooDeep(member, depth + 1));
}

/**
 * The Puppet value of a JSON value. `toWhole` makes the value of a number without fraction: a JSON
 * parser does not say whether it was written `1` or `1.0`, and Puppet's Integer and Float exclude
 * each other.
 */
function toPuppetValue(value: unknown, toWhole: (number: number) => Value): Value {
  if (typeof value === 'number') return Number.isInteger(value) ? toWhole(value) : value;
  if (Array.isArray(value)) return value.map((member) => toPuppetValue(member, toWhole));
  if (isJsonObject(value)) {
    return PuppetHash.of(Object.entries(value).map(([key, member]) => [key, toPuppetValue(member, toWhole)] as const));
  }
  return typeof value === 'string' || typeof value === 'boolean' ? value : null;
}
