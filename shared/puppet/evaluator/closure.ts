/** Calls lambdas and functions written in Puppet. Puppet: lib/puppet/pops/evaluator/closure.rb. */

import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { Expression, Node, Parameter } from '../language/ast.ts';
import { forEachChild } from '../language/walk.ts';
import { assertInstance } from '../types/assertion.ts';
import { describeSignatures, validateParameters } from '../types/mismatch-describer.ts';
import type { PType } from '../types/ptype.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import { NextSignal } from './control-flow.ts';
import type { Callable, Evaluation } from './ports.ts';
import { failWith } from './report.ts';
import { createReservedNameError, RESERVED_VARIABLES, type Scope } from './scope.ts';
import type { ParameterFrame } from './scope-frame.ts';
import { type ParameterShape, Signature } from './signature.ts';

/** The parts of a lambda, function or template that a call needs. */
interface ClosureModel {
  readonly parameters: readonly Parameter[];
  readonly body: Expression | null;
  readonly returnType?: Expression | null;
}

/** Functions that end what is around them, and one that calls functions by values. */
const ENDING: ReadonlySet<string> = new Set(['break', 'return', 'call']);

function hasEarlyEnd(node: Node): boolean {
  if (node.kind === 'QualifiedName' && ENDING.has(node.value)) return true;
  let isFound = false;
  forEachChild(node, (child) => {
    isFound ||= hasEarlyEnd(child);
  });
  return isFound;
}

export class Closure implements Callable {
  readonly #evaluation: Evaluation;
  readonly #model: ClosureModel;
  readonly #scope: Scope;
  readonly #name: string;
  readonly #signature: Signature;

  /** `name` identifies the closure in errors. */
  constructor(evaluation: Evaluation, model: ClosureModel, scope: Scope, name = 'lambda') {
    this.#evaluation = evaluation;
    this.#model = model;
    this.#scope = scope;
    this.#name = name;
    this.#signature = new Signature(model, (expression) => evaluation.evaluate(expression, scope));
  }

  get parameterNames(): readonly string[] {
    return this.#model.parameters.map(({ name }) => name);
  }

  get type(): PType {
    return this.#signature.type;
  }

  get arity(): readonly [number, number] {
    return this.#signature.arity;
  }

  get endsIterations(): boolean {
    const { body } = this.#model;
    return body !== null && hasEarlyEnd(body);
  }

  call(...args: readonly Value[]): Value {
    return this.callInScope(this.#scope, args);
  }

  /** Calls with positional arguments; surplus arguments are ignored. */
  callInScope(scope: Scope, args: readonly Value[]): Value {
    const bindings = this.#bind(scope, args);
    this.#checkArguments(bindings);
    const { returnType } = this.#signature;
    return this.#assertResult(this.#run(scope, bindings), returnType);
  }

  /**
   * Calls with named arguments, as templates do. With `enforce`, parameters get their defaults and
   * are type-checked; otherwise each argument becomes a variable of the body unchecked.
   */
  callByName(args: ReadonlyMap<string, Value>, enforce: boolean): Value {
    if (!enforce) return this.#evaluateBody(this.#scope, new Map(args));
    const bindings = this.#bindByName(this.#scope, args);
    validateParameters(this.#name, this.#signature.struct, PuppetHash.of(bindings));
    return this.#assertResult(this.#run(this.#scope, bindings), this.#signature.returnType);
  }

  /** Runs the body and returns its value; `next` ends it early. */
  #run(scope: Scope, bindings: Map<string, Value>): Value {
    try {
      return this.#evaluateBody(scope, bindings);
    } catch (error) {
      if (error instanceof NextSignal) return error.value;
      throw error;
    }
  }

  #evaluateBody(scope: Scope, bindings: Map<string, Value>): Value {
    const { body } = this.#model;
    for (const name of bindings.keys()) if (RESERVED_VARIABLES.has(name)) throw createReservedNameError(name);
    if (!body) return null;
    const before = scope.mark();
    scope.pushLocal(bindings);
    try {
      return this.#evaluation.evaluate(body, scope);
    } finally {
      scope.restore(before);
    }
  }

  #bind(scope: Scope, args: readonly Value[]): Map<string, Value> {
    const { parameters } = this.#model;
    if (args.length >= parameters.length && !this.#signature.capturesRest) {
      const bindings = new Map<string, Value>();
      for (const [index, { name }] of parameters.entries()) bindings.set(name, args[index] ?? null);
      return bindings;
    }
    return this.#withParameters(scope, (frame) => {
      for (const [index, parameter] of parameters.entries()) {
        frame.set(parameter.name, this.#evalArgument(scope, frame, parameter, args, index));
      }
    });
  }

  #evalArgument(
    scope: Scope,
    frame: ParameterFrame,
    parameter: Parameter,
    args: readonly Value[],
    index: number,
  ): Value {
    const { name, value: defaultValue, capturesRest } = parameter;
    const given = args[index];
    if (given === undefined && !defaultValue) {
      if (capturesRest) return [];
      failWith(ISSUES.MISSING_REQUIRED_PARAMETER({ name }), parameter);
    }
    if (given === undefined || (capturesRest && defaultValue && given === null && args.length === index + 1)) {
      const value = this.#defaultValue(scope, frame, parameter);
      return capturesRest && !Array.isArray(value) ? [value] : value;
    }
    return capturesRest ? args.slice(index) : given;
  }

  #bindByName(scope: Scope, args: ReadonlyMap<string, Value>): Map<string, Value> {
    return this.#withParameters(scope, (frame) => {
      for (const [name, value] of args) if (value !== null) frame.set(name, value);
      for (const parameter of this.#model.parameters) {
        if ((args.get(parameter.name) ?? null) !== null) continue;
        if (parameter.value) frame.set(parameter.name, this.#defaultValue(scope, frame, parameter));
        else if (args.has(parameter.name)) frame.set(parameter.name, null);
      }
    });
  }

  #withParameters(scope: Scope, assign: (frame: ParameterFrame) => void): Map<string, Value> {
    const before = scope.mark();
    const frame = scope.pushParameters(this.#name, this.parameterNames);
    try {
      assign(frame);
      return frame.ownEntries();
    } finally {
      scope.restore(before);
    }
  }

  #defaultValue(scope: Scope, frame: ParameterFrame, parameter: Parameter): Value {
    const { value } = parameter;
    if (!value) return null;
    const before = scope.mark();
    try {
      return frame.evaluateDefault(parameter.name, () => this.#evaluation.evaluate(value, scope));
    } finally {
      scope.restore(before);
    }
  }

  #checkArguments(bindings: ReadonlyMap<string, Value>): void {
    if (this.#signature.isUntyped) return;
    const args = this.#signature.parameters.flatMap((shape) => argumentsOf(shape, bindings));
    if (this.#signature.accepts(args)) return;
    throw new PuppetError(describeSignatures(this.#name, [this.#signature.description], args, null));
  }

  // Puppet: the return type is evaluated before the body, together with the other types of the
  // signature.
  #assertResult(result: Value, returnType: PType | null): Value {
    return returnType === null ? result : assertInstance(`value returned from ${this.#name}`, returnType, result);
  }
}

function argumentsOf(shape: ParameterShape, bindings: ReadonlyMap<string, Value>): readonly Value[] {
  const value = bindings.get(shape.name) ?? null;
  return shape.capturesRest && Array.isArray(value) ? value : [value];
}
