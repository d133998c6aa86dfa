import type { Callable, MethodReceiver } from '../../puppet/evaluator/ports.ts';
import { isTruthy } from '../../puppet/functions/support/conversion.ts';
import { createObject } from '../../puppet/types/objects/object-instance.ts';
import { PuppetObject } from '../../puppet/types/objects/puppet-object.ts';
import { ERROR } from '../../puppet/types/objects/standard-objects.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import { Sensitive, type Value } from '../../puppet/types/values/values.ts';
import { type BoltError, PlanCodeError } from './bolt-error.ts';
import type { Fiber, Fibers } from './fibers.ts';
import type { PlanInventory } from './plan-inventory.ts';
import { printPlanJson } from './plan-json.ts';
import type { PlanTypes } from './plan-types.ts';

/** The parts of a run that its objects use. */
interface ObjectContext {
  readonly types: PlanTypes;
  readonly fibers: Fibers;
  readonly inventory: PlanInventory;
  /** The resources that a target has now, by their references. */
  listResources(target: string): PuppetHash;
}

type Methods = Readonly<Record<string, (args: readonly Value[], block: Callable | null) => Value>>;

/** An object with methods. */
export abstract class PlanObject extends PuppetObject implements MethodReceiver {
  protected abstract readonly methods: Methods;

  hasMethod(name: string): boolean {
    return Object.hasOwn(this.methods, name);
  }

  callMethod(name: string, args: readonly Value[], block: Callable | null): Value {
    const method = this.hasMethod(name) ? this.methods[name] : undefined;
    if (method === undefined) throw new Error(`invariant: the object has the method ${name}`);
    return method(args, block);
  }
}

/** A target: a name of the inventory, which has its state. */
export class TargetValue extends PlanObject {
  readonly name: string;
  readonly #context: ObjectContext;
  protected readonly methods: Methods = {
    host: () => this.#host,
    password: () => null,
    port: () => null,
    protocol: () => 'pcp',
    transport: () => 'pcp',
    transport_config: () => new PuppetHash(),
    user: () => null,
  };

  constructor(context: ObjectContext, name: string) {
    super(context.types.object('Target'), new Map());
    this.#context = context;
    this.name = name;
  }

  override get(attribute: string): Value | undefined {
    switch (attribute) {
      case 'name':
      case 'safe_name':
        return this.name;
      case 'uri':
        return this.#state.uri;
      case 'target_alias':
        return this.#state.aliases;
      case 'plugin_hooks':
        return new PuppetHash();
      case 'resources':
        return this.#context.listResources(this.name);
      case 'config':
      case 'vars':
      case 'facts':
        return this.#context.fibers.once(() => this.#state[attribute]);
      case 'features':
        return this.#context.fibers.once(() => [...this.#state.features]);
      default:
        return undefined;
    }
  }

  get #state() {
    return this.#context.inventory.get(this.name);
  }

  get #host(): string {
    return (this.#state.uri ?? this.name).replace(/^pcp:\/\//, '');
  }

  override ownText(): string {
    return this.name;
  }

  // Bolt: a target gives none of its attributes away.
  override toInitHash(): PuppetHash {
    return new PuppetHash();
  }

  override equalityKey(): string {
    return `target:${this.name}`;
  }

  override eqlKey(): string {
    return this.equalityKey();
  }

  override toString(): string {
    return this.name;
  }
}

/** The result of an action on a target, or of `apply`. Follows lib/bolt/result.rb. */
export abstract class AnyResult extends PlanObject {
  readonly target: TargetValue;
  readonly value: PuppetHash;
  readonly action: string;
  readonly object: string | null;

  constructor(
    shape: ReturnType<PlanTypes['object']>,
    attributes: ReadonlyMap<string, Value>,
    parts: { target: TargetValue; value: PuppetHash; action: string; object: string | null },
  ) {
    super(shape, attributes);
    this.target = parts.target;
    this.value = parts.value;
    this.action = parts.action;
    this.object = parts.object;
  }

  get isOk(): boolean {
    return (this.value.get('_error') ?? null) === null;
  }

  get error(): Value {
    const error = this.value.get('_error') ?? null;
    return error instanceof PuppetHash ? createErrorValue(error) : null;
  }

  get message(): Value {
    return this.value.get('_output') ?? null;
  }

  /** The result as a hash of plain values. */
  toData(): PuppetHash {
    const { target, action, object, value } = this;
    const shown = Array.from(value, ([key, one]) => [key, one instanceof Sensitive ? String(one) : one] as const);
    return PuppetHash.of([
      ['target', target.name],
      ['action', action],
      ['object', object],
      ['status', this.isOk ? 'success' : 'failure'],
      ['value', PuppetHash.of(shown)],
    ]);
  }

  override ownText(): string {
    return printPlanJson(this);
  }

  override toInitHash(): PuppetHash {
    return PuppetHash.of([
      ['target', this.target],
      ['error', this.value.get('_error') ?? null],
      ['message', this.message],
      ['value', this.value],
      ['action', this.action],
      ['object', this.object],
    ]);
  }
}

export class ResultValue extends AnyResult {
  protected readonly methods: Methods = {
    error: () => this.error,
    message: () => this.message,
    sensitive: () => this.value.get('_sensitive') ?? null,
    action: () => this.action,
    status: () => (this.isOk ? 'success' : 'failure'),
    to_data: () => this.toData(),
    ok: () => this.isOk,
    '[]': ([key = null]) => this.value.get(key) ?? null,
  };

  constructor(types: PlanTypes, target: TargetValue, value: PuppetHash, action: string, object: string | null) {
    super(types.object('Result'), new Map<string, Value>([['value', value], ['target', target]]), { target, value, action, object }); // biome-ignore format: short
  }
}

/** Follows lib/bolt/apply_result.rb. */
export class ApplyResultValue extends AnyResult {
  protected readonly methods: Methods = {
    ok: () => this.isOk,
    message: () => this.message,
    action: () => this.action,
    to_data: () => this.toData(),
    value: () => this.value,
    status: () => (this.isOk ? 'success' : 'failure'),
    '[]': ([key = null]) => this.value.get(key) ?? null,
  };
  readonly #catalog: Value;

  constructor(types: PlanTypes, target: TargetValue, value: PuppetHash, catalog: Value) {
    super(types.object('ApplyResult'), new Map(), { target, value, action: 'apply', object: null });
    this.#catalog = catalog;
  }

  override toInitHash(): PuppetHash {
    return PuppetHash.of([
      ['target', this.target],
      ['error', this.value.get('_error') ?? null],
      ['report', this.value.get('report') ?? null],
      ['catalog', this.#catalog],
    ]);
  }

  override get(attribute: string): Value | undefined {
    switch (attribute) {
      case 'report':
        return this.value.get('report') ?? null;
      case 'target':
        return this.target;
      case 'error':
        return this.error;
      case 'catalog':
        return this.#catalog;
      default:
        return undefined;
    }
  }
}

/** Follows lib/bolt/result_set.rb. */
export class ResultSetValue extends PlanObject {
  readonly results: readonly AnyResult[];
  readonly #types: PlanTypes;
  protected readonly methods: Methods = {
    count: () => BigInt(this.results.length),
    empty: () => this.results.length === 0,
    error_set: () => this.#select((one) => !one.isOk),
    ok_set: () => this.#select((one) => one.isOk),
    filter_set: (_, block) => this.#select((one) => isTruthy(block?.call(one) ?? null)),
    find: ([name = null]) => this.results.findLast(({ target }) => target.name === name) ?? null,
    first: () => this.results[0] ?? null,
    names: () => this.results.map(({ target }) => target.name),
    ok: () => this.isOk,
    targets: () => this.results.map(({ target }) => target),
    to_data: () => this.toData(),
    '[]': ([from = null, to = null]) => this.#slice(from, to),
  };

  constructor(types: PlanTypes, results: readonly AnyResult[]) {
    super(types.object('ResultSet'), new Map<string, Value>([['results', results]]));
    this.#types = types;
    this.results = results;
  }

  get isOk(): boolean {
    return this.results.every((one) => one.isOk);
  }

  get failed(): readonly AnyResult[] {
    return this.results.filter((one) => !one.isOk);
  }

  toData(): readonly PuppetHash[] {
    return this.results.map((one) => one.toData());
  }

  override elements(): readonly Value[] {
    return this.results;
  }

  override ownText(): string {
    return printPlanJson(this);
  }

  #select(isWanted: (one: AnyResult) => boolean): ResultSetValue {
    return new ResultSetValue(this.#types, this.results.filter(isWanted));
  }

  // Ruby: Array#[] with an index, or with a range that includes its end.
  #slice(from: Value, to: Value): Value {
    if (typeof from !== 'bigint') throw new PlanCodeError('no implicit conversion into Integer');
    if (typeof to !== 'bigint') return this.results.at(Number(from)) ?? null;
    const { length } = this.results;
    const first = from < 0n ? length + Number(from) : Number(from);
    const last = to < 0n ? length + Number(to) : Number(to);
    return first < 0 || first > length ? null : this.results.slice(first, last + 1);
  }
}

/** A block that runs in the background. */
export class FutureValue extends PlanObject {
  readonly fiber: Fiber;
  protected readonly methods: Methods;

  constructor({ types, fibers }: ObjectContext, fiber: Fiber) {
    super(types.object('Future'), new Map());
    this.fiber = fiber;
    this.methods = { state: () => fibers.once(() => fiber.state) };
  }

  override ownText(): string {
    return `Future '${this.fiber.name}'`;
  }

  override equalityKey(): string {
    return `future:${this.fiber.id}`;
  }

  override eqlKey(): string {
    return this.equalityKey();
  }
}

/** Makes an instance of the type Error from a hash with `msg`, `kind` and `details`. */
function createErrorValue(hash: PuppetHash): PuppetObject {
  return createObject(ERROR, (name) => hash.get(name));
}

export function toErrorValue({ basic, kind, details, code }: BoltError): PuppetObject {
  const hash = PuppetHash.of([
    ['msg', basic],
    ['kind', kind],
    ['details', PuppetHash.of(details)],
    ...(code === null ? [] : [['issue_code', code] as const]),
  ]);
  return createErrorValue(hash);
}

/** Whether a value is an instance of the type Error. */
export function isErrorValue(value: Value): value is PuppetObject {
  return value instanceof PuppetObject && value.shape === ERROR;
}
