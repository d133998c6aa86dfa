import type { CompileRequest } from '../../puppet/compiler/compile.ts';
import type { Environment } from '../../puppet/environment/environment.ts';
import type { PuppetError } from '../../puppet/errors/puppet-error.ts';
import type { CompileContext } from '../../puppet/evaluator/ports.ts';
import type { RubyPort } from '../../puppet/evaluator/ruby-port.ts';
import { assertInstance } from '../../puppet/types/assertion.ts';
import type { ModelInitializer } from '../../puppet/types/objects/object-type.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { Value } from '../../puppet/types/values/values.ts';
import { PlanCodeError } from './bolt-error.ts';
import { Fibers } from './fibers.ts';
import type { PlanHost, PlanNote } from './plan-effects.ts';
import { createInventoryError, PlanInventory } from './plan-inventory.ts';
import { AnyResult, ResultSetValue, ResultValue, TargetValue } from './plan-objects.ts';
import { PlanTypes } from './plan-types.ts';
import type { Plans } from './plans.ts';
import { createResourceState, ResourceInstanceValue } from './resource-instance.ts';

/** Bounds of one run of a plan. */
export interface PlanLimits {
  /** Blocks that may run in the background at a time. */
  readonly futures: number;
  /** Plans that may run within each other. */
  readonly depth: number;
}

interface PlanRunParts {
  readonly host: PlanHost;
  readonly limits: PlanLimits;
  /** Whether all tasks run in noop mode. */
  readonly noop: boolean;
  /** The environment and the parts of a compile, also for catalogs of `apply`. */
  readonly compile: CompileRequest;
  /** Returns the Ruby of modules as at the start of a compile; absent: there is none. */
  readonly beginRuby?: (() => RubyPort | undefined) | undefined;
}

/** A place of the code in the form of details of errors. */
export interface CodePlace {
  readonly file: string;
  readonly line: bigint;
}

/** An error of Puppet with an issue, at the place of a call. */
export function createIssueError(place: CodePlace | null, code: string, text: string): PuppetError {
  const location = place === null ? {} : { file: place.file, line: Number(place.line) };
  return new PlanCodeError(text, { issueCode: code, ...location });
}

/** The arguments of `Target.new` by position. */
// Bolt: all are checked, and only the first one counts. lib/bolt/target.rb (from_asserted_args)
const TARGET_POSITIONS = {
  names: [
    ...['uri', 'name', 'safe_name', 'target_alias', 'config', 'facts', 'vars'],
    ...['features', 'plugin_hooks', 'resources'],
  ],
  effective: 1,
};

/** The shared state of one run of a plan. */
export class PlanRun {
  readonly host: PlanHost;
  readonly limits: PlanLimits;
  readonly noop: boolean;
  readonly fibers: Fibers;
  readonly inventory = new PlanInventory();
  readonly types: PlanTypes;
  readonly compileRequest: CompileRequest;
  readonly beginRuby: () => RubyPort | undefined;
  #context: CompileContext | null = null;
  #plans: Plans | null = null;

  constructor({ host, limits, noop, compile, beginRuby = () => undefined }: PlanRunParts) {
    this.compileRequest = compile;
    this.beginRuby = beginRuby;
    this.host = host;
    this.limits = limits;
    this.noop = noop;
    this.fibers = new Fibers({ host, mostFutures: limits.futures });
    this.types = new PlanTypes(
      {
        Result: initializer(['target', 'value'], 1, (args) => this.#createResult(args)),
        ResultSet: initializer(['results'], 1, (args) => this.#createResultSet(args[0] ?? null)),
      },
      {
        Target: {
          takesHash: true,
          positions: TARGET_POSITIONS,
          create: (_, attributes) => this.#createTarget(attributes),
        },
        ResourceInstance: { takesHash: true, create: (_, attributes) => this.#createResource(attributes) },
      },
    );
  }

  /** Connects the run with its evaluation. */
  connect(context: CompileContext, plans: Plans): void {
    this.#context = context;
    this.#plans = plans;
  }

  get context(): CompileContext {
    if (this.#context === null) throw new Error('invariant: the run is connected');
    return this.#context;
  }

  get plans(): Plans {
    if (this.#plans === null) throw new Error('invariant: the run is connected');
    return this.#plans;
  }

  get environment(): Environment {
    return this.context.environment;
  }

  note(note: PlanNote): void {
    this.fibers.once(() => this.host.note(note));
  }

  /** The place of the innermost call in code. */
  findPlace(): CodePlace | null {
    const [frame] = this.context.evaluator.stack.getFrames();
    return frame === undefined || frame[1] === 0 ? null : { file: frame[0], line: BigInt(frame[1]) };
  }

  listResources(target: string): PuppetHash {
    const found = this.fibers.once(() => [...this.inventory.get(target).resources]);
    return PuppetHash.of(
      found.map(([reference, state]) => [reference, new ResourceInstanceValue(this, state)] as const),
    );
  }

  target(name: string): TargetValue {
    return new TargetValue(this, name);
  }

  /** The targets that a value of the type TargetSpec means, each once. */
  targetsOf(spec: Value): readonly TargetValue[] {
    const names = this.fibers.once(() => [...new Set(this.#expand(spec))]);
    return names.map((name) => this.target(name));
  }

  /** The only target that a TargetSpec means. */
  targetOf(spec: Value): TargetValue {
    const [first, ...others] = this.targetsOf(spec);
    if (first !== undefined && others.length === 0) return first;
    const shown = Array.isArray(spec) ? `[${spec.map((one) => JSON.stringify(String(one))).join(', ')}]` : String(spec);
    throw createInventoryError(`'${shown}' refers to ${first === undefined ? 0 : others.length + 1} targets`);
  }

  #expand(spec: Value): readonly string[] {
    if (spec instanceof TargetValue) return [spec.name];
    if (Array.isArray(spec)) return spec.flatMap((one) => this.#expand(one));
    return typeof spec === 'string' ? this.inventory.expand(spec) : [];
  }

  #createTarget(attributes: ReadonlyMap<string, Value>): TargetValue {
    const known = new Map([...attributes].filter(([, value]) => value !== null));
    const name = this.fibers.once(() => this.inventory.create(known).name);
    return this.target(name);
  }

  #createResource(attributes: ReadonlyMap<string, Value>): ResourceInstanceValue {
    const target = attributes.get('target');
    if (!(target instanceof TargetValue)) throw new PlanCodeError('ResourceInstance.new needs a Target');
    return new ResourceInstanceValue(
      this,
      this.fibers.once(() => createResourceState(target, attributes)),
    );
  }

  #createResult([first = null, second = null]: readonly Value[]): ResultValue {
    const hash = first instanceof PuppetHash ? first : PuppetHash.of([['target', first], ['value', second]]); // biome-ignore format: short
    const target = assertInstance('Result[target]', this.types.object('Target'), hash.get('target') ?? null);
    const value = hash.get('value') ?? new PuppetHash();
    if (!(target instanceof TargetValue) || !(value instanceof PuppetHash)) {
      throw new PlanCodeError('Result.new needs a Target, and a Hash as value');
    }
    return new ResultValue(this.types, target, value, 'action', null);
  }

  #createResultSet(given: Value): ResultSetValue {
    const list = given instanceof PuppetHash ? given.get('results') : given;
    const results = [list ?? []].flat();
    const isFitting = (one: Value) => one instanceof AnyResult;
    if (!results.every(isFitting)) throw new PlanCodeError('ResultSet.new needs an Array of Results');
    return new ResultSetValue(
      this.types,
      results.filter((one) => one instanceof AnyResult),
    );
  }
}

function initializer(
  parameters: readonly string[],
  minimum: number,
  create: (args: readonly Value[]) => Value,
): ModelInitializer {
  return { parameters, minimum, maximum: parameters.length, problem: null, create };
}
