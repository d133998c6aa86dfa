import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { Expression, Parameter } from '../language/ast.ts';
import { CallableType } from '../types/callable-type.ts';
import { ArrayType } from '../types/collection-types.ts';
import type { SignatureDescription } from '../types/mismatch-describer.ts';
import { PType } from '../types/ptype.ts';
import { StructElement, StructType, TupleType } from '../types/record-types.ts';
import { IntegerType } from '../types/scalar-types.ts';
import { ANY } from '../types/simple-types.ts';
import { StringType } from '../types/string-types.ts';
import type { Value } from '../types/values/values.ts';
import { OptionalType } from '../types/wrapper-types.ts';
import { failWith } from './report.ts';

export interface ParameterShape {
  readonly name: string;
  /** For a parameter that captures the rest: the type of each value. */
  readonly type: PType;
  readonly hasDefault: boolean;
  readonly capturesRest: boolean;
  /** Minimum and maximum number of arguments. */
  readonly range: readonly [number, number];
}

interface SignatureModel {
  readonly parameters: readonly Parameter[];
  readonly returnType?: Expression | null;
}

/**
 * The parameter and return types of a closure, evaluated on first use. Puppet:
 * Closure#create_callable_type
 */
export class Signature {
  readonly #model: SignatureModel;
  readonly #evaluate: (expression: Expression) => Value;
  /** Whether the bound arguments need no type check. */
  readonly isUntyped: boolean;
  readonly capturesRest: boolean;
  #parameters: readonly ParameterShape[] | undefined;
  #arity: readonly [number, number] | undefined;
  #returnType: PType | null | undefined;
  #type: CallableType | undefined;

  constructor(model: SignatureModel, evaluate: (expression: Expression) => Value) {
    this.#model = model;
    this.#evaluate = evaluate;
    this.isUntyped = model.parameters.every(({ typeExpr, value }) => typeExpr === null && value === null);
    this.capturesRest = model.parameters.at(-1)?.capturesRest === true;
  }

  get parameters(): readonly ParameterShape[] {
    if (this.#parameters) return this.#parameters;
    this.#parameters = this.#model.parameters.map((parameter) => this.#shapeOf(parameter));
    return this.#parameters;
  }

  /** Null when any value is allowed. */
  get returnType(): PType | null {
    if (this.#returnType === undefined) {
      const { returnType } = this.#model;
      this.#returnType = returnType ? this.#typeOf(returnType) : null;
    }
    return this.#returnType;
  }

  get arity(): readonly [number, number] {
    this.#arity ??= this.#countArguments();
    return this.#arity;
  }

  #countArguments(): readonly [number, number] {
    this.#assertRequiredFirst(this.parameters);
    let from = 0;
    let to = 0;
    for (const { range } of this.parameters) {
      from += range[0];
      to += range[1];
    }
    return [from, to];
  }

  get type(): CallableType {
    this.#type ??= this.#callableType();
    return this.#type;
  }

  /** Returns the parameters as a Struct, for calls by name. */
  get struct(): StructType {
    return new StructType(
      this.parameters.map(({ name, type, hasDefault }) => {
        const key = new StringType(name);
        return new StructElement(hasDefault ? new OptionalType(key) : key, type);
      }),
    );
  }

  /** Describes the signature for errors. */
  get description(): SignatureDescription {
    return { type: this.type, parameterNames: this.#model.parameters.map(({ name }) => name), blockName: null };
  }

  /** Whether the signature accepts these arguments. */
  accepts(args: readonly Value[]): boolean {
    const [from, to] = this.arity;
    if (args.length < from || args.length > to) return false;
    const { parameters } = this;
    const last = parameters.length - 1;
    return args.every((arg, index) => parameters[Math.min(index, last)]?.type.isInstance(arg));
  }

  #callableType(): CallableType {
    const [from, to] = this.arity;
    const size = new IntegerType(BigInt(from), to === Number.POSITIVE_INFINITY ? null : BigInt(to));
    const types = this.parameters.map(({ type }) => type);
    return new CallableType(new TupleType(types, size), null, this.returnType);
  }

  /** Applies to positional arguments; a template's named arguments come in any order. */
  #assertRequiredFirst(shapes: readonly ParameterShape[]): void {
    let optional = false;
    for (const [index, { range, name }] of shapes.entries()) {
      const parameter = this.#model.parameters[index];
      if (range[0] === 0) optional = true;
      else if (optional && parameter) failWith(ISSUES.REQUIRED_PARAMETER_AFTER_OPTIONAL({ name }), parameter);
    }
  }

  #shapeOf(parameter: Parameter): ParameterShape {
    const { name, typeExpr, capturesRest, value } = parameter;
    const type = typeExpr ? this.#typeOf(typeExpr) : ANY;
    const hasDefault = value !== null;
    if (!capturesRest) return { name, type, hasDefault, capturesRest, range: [hasDefault ? 0 : 1, 1] };
    if (!(type instanceof ArrayType)) {
      return { name, type, hasDefault, capturesRest, range: [0, Number.POSITIVE_INFINITY] };
    }
    const from = Number(type.size?.from ?? 0n);
    const to = type.size?.to ?? null;
    const range = [from, to === null ? Number.POSITIVE_INFINITY : Number(to)] as const;
    return { name, type: type.element ?? ANY, hasDefault, capturesRest, range };
  }

  #typeOf(expression: Expression): PType {
    const type = this.#evaluate(expression);
    if (type instanceof PType) return type;
    throw new PuppetError(ISSUES.PARAMETER_TYPE_NO_TYPE());
  }
}
