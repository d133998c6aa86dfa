import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { assertInstance } from '../assertion.ts';
import { matchOption } from '../matching.ts';
import { PType } from '../ptype.ts';
import { matchesParameter } from '../uri/uri-type.ts';
import { partKey } from '../values/hash-key.ts';
import { PuppetHash } from '../values/puppet-hash.ts';
import type { RecursionGuard } from '../values/recursion-guard.ts';
import { DEFAULT, type Value } from '../values/values.ts';
import type { ObjectMember } from './object-members.ts';
import type { ObjectType } from './object-type.ts';
import { PuppetObject } from './puppet-object.ts';

/**
 * An Object type with values for its type parameters: `Error['puppet/error']`. Follows
 * lib/puppet/pops/types/p_object_type_extension.rb.
 */
export class ObjectExtensionType extends PType {
  readonly kind = 'ObjectExtension';
  readonly base: ObjectType;
  readonly parameters: ReadonlyMap<string, Value>;

  /**
   * `args` are positional, or one hash by parameter name. Throws PuppetError when they are invalid.
   */
  constructor(base: ObjectType, args: readonly Value[]) {
    super();
    this.base = base;
    const known = base.allTypeParameters;
    if (known.size === 0) throw new PuppetError(ISSUES.OBJECT_TYPE_WITHOUT_PARAMETERS({ name: base.name }));
    this.parameters = readParameters(base, known, args);
    if (this.parameters.size === 0) {
      throw new PuppetError(ISSUES.OBJECT_TYPE_PARAMETERS_EMPTY({ name: base.name }));
    }
  }

  override get name(): string {
    return this.base.name;
  }

  isInstance(value: Value, guard?: RecursionGuard): boolean {
    if (!(value instanceof PuppetObject) || !this.base.isInstance(value, guard)) return false;
    return [...this.parameters].every(([name, pattern]) => {
      const actual = value.get(name);
      return actual !== undefined && matchOption(pattern, actual, null);
    });
  }

  protected accepts(other: PType, guard?: RecursionGuard): boolean {
    if (!(other instanceof ObjectExtensionType)) return false;
    if (!this.base.isAssignable(other.base, guard)) return false;
    return [...this.parameters].every(([name, mine]) => {
      const yours = other.parameters.get(name);
      return yours !== undefined && matchesParameter(yours, mine);
    });
  }

  override generalize(): PType {
    return this.base;
  }

  /** The parameters as source text has them: a list, or a hash when the type has more than two. */
  get initParameters(): readonly Value[] | PuppetHash {
    const known = [...this.base.allTypeParameters.keys()];
    if (known.length > 2) return PuppetHash.of(this.parameters);
    const list = known.map((name) => this.parameters.get(name) ?? (this.parameters.has(name) ? null : DEFAULT));
    while (list.at(-1) === DEFAULT) list.pop();
    return list;
  }

  protected override parametersKey(canonical: boolean): string {
    return `[${this.base.equalityKey(canonical)},${partKey(PuppetHash.of(this.parameters))}]`;
  }
}

function readParameters(
  base: ObjectType,
  known: ReadonlyMap<string, ObjectMember>,
  args: readonly Value[],
): Map<string, Value> {
  const [first] = args;
  const [firstParameter] = known.values();
  if (args.length === 1 && first instanceof PuppetHash && !firstParameter?.type.isInstance(first)) {
    return readNamed(base, known, first);
  }
  const found = new Map<string, Value>();
  for (const [index, parameter] of [...known.values()].entries()) {
    const value = args[index];
    if (value !== undefined && value !== DEFAULT) found.set(parameter.name, check(parameter, value));
  }
  return found;
}

function readNamed(base: ObjectType, known: ReadonlyMap<string, ObjectMember>, args: PuppetHash): Map<string, Value> {
  const found = new Map<string, Value>();
  for (const [name, value] of args.entries()) {
    const parameter = known.get(String(name));
    if (!parameter)
      throw new PuppetError(ISSUES.OBJECT_TYPE_PARAMETER_UNKNOWN({ name: String(name), type: base.name }));
    if (value !== DEFAULT) found.set(parameter.name, check(parameter, value));
  }
  return found;
}

function check(parameter: ObjectMember, value: Value): Value {
  return assertInstance(parameter.label, parameter.type, value);
}

/** The extension of a parameterized type to which an object belongs. */
export function extensionOf(base: ObjectType, attribute: (name: string) => Value | undefined): PType {
  return new ObjectExtensionType(
    base,
    [...base.allTypeParameters.keys()].map((name) => attribute(name) ?? null),
  );
}
