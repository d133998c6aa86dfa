import { RubySymbol } from '../../serialization/yaml.ts';
import { isFrozen } from '../../types/values/frozen.ts';
import type { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';
import type { CompileWorld } from './compile-world.ts';
import { fallBack } from './fallback.ts';
import type { DefinedModule, DefinedObject, RubyMatch } from './objects.ts';

/** Step limit of a template here. A longer run is left to Ruby, which has a time limit. */
const STEP_LIMIT = 2_000_000;
/** Length limit of a text that code writes or builds, in UTF-16 units. */
export const TEXT_LIMIT = 1 << 24;

/**
 * The way in which code calls a function: by the `call_function` of a 4.x function itself, by that
 * of a scope, or as a method of the scope (`function_x`), which reaches only 3.x functions.
 */
export type CallWay = 'own' | 'scope' | 'legacy';

/** The object behind `self`, and the methods that code calls without a receiver. */
export interface SelfObject {
  readonly value: Value;
  call(name: string, call: MethodCall): Value;
}

/**
 * The use of a result: `needed` by the code, `discarded`, or `last`, which makes it the result of
 * the whole program.
 */
export type ResultUse = 'needed' | 'discarded' | 'last';

/** A method defined by code. `isLast`: whether its result is the result of the whole program. */
export type DefinedMethod = (render: Rendering, args: readonly Value[], isLast?: boolean) => Value;

/** Modules that required files define, by name. */
export type Modules = ReadonlyMap<string, DefinedModule>;
const NO_MODULES: Modules = new Map();

/** State that the code of a call shares with the modules that it uses. */
interface Progress {
  steps: number;
  readonly walked: Set<object>;
  readonly within: Map<DefinedModule | DefinedObject, Rendering>;
}

/** One rendering of a template, or one call of a function. */
export class Rendering {
  readonly #world: CompileWorld | null;
  readonly self: SelfObject;
  readonly ivars: Map<string, Value>;
  readonly modules: Modules;
  readonly #owned: WeakSet<object>;
  readonly #progress: Progress;
  #parts = '';

  /**
   * `world`: null for code that runs without a compile. `owned`: arrays and hashes created by this
   * code, or by code that is part of it.
   */
  constructor(
    world: CompileWorld | null,
    self: SelfObject,
    ivars: Map<string, Value>,
    owned: WeakSet<object>,
    modules: Modules = NO_MODULES,
    progress: Progress = { steps: 0, walked: new Set(), within: new Map() },
  ) {
    this.#world = world;
    this.self = self;
    this.ivars = ivars;
    this.modules = modules;
    this.#owned = owned;
    this.#progress = progress;
  }

  /**
   * Returns the run of a module's or object's code in this call. Its variables are those of this
   * call.
   */
  within(module: DefinedModule | DefinedObject, self: SelfObject): Rendering {
    const { within } = this.#progress;
    const known = within.get(module);
    if (known) return known;
    const made = new Rendering(this.#world, self, new Map(), this.#owned, this.modules, this.#progress);
    within.set(module, made);
    return made;
  }

  get text(): string {
    return this.#parts;
  }

  get world(): CompileWorld {
    return this.#world ?? fallBack('the compile asked where there is none');
  }

  get isRuby40(): boolean {
    return this.world.isRuby40;
  }

  write(text: string): void {
    this.#parts += text;
    if (this.#parts.length > TEXT_LIMIT) fallBack('a long text');
  }

  step(): void {
    this.#progress.steps += 1;
    if (this.#progress.steps > STEP_LIMIT) fallBack('long work');
  }

  /**
   * Records that the code created the array or hash, so that changing it is not visible outside.
   */
  markOwn<T extends Value[] | PuppetHash>(container: T): T {
    this.#owned.add(container);
    return container;
  }

  /** Runs `work`, which iterates over the container; changes to it are refused meanwhile. */
  walk<T>(container: object, work: () => T): T {
    const isOuter = !this.#progress.walked.has(container);
    this.#progress.walked.add(container);
    try {
      return work();
    } finally {
      if (isOuter) this.#progress.walked.delete(container);
    }
  }

  /**
   * Returns the same array for modification; all holders see the change. A frozen array is left to
   * Ruby, which raises the error.
   */
  assertChangeable(value: readonly Value[]): Value[] {
    return isUnfrozen(value) ? this.#save(value) : fallBack('a change of what is frozen');
  }

  changeableHash(value: PuppetHash): PuppetHash {
    return isFrozen(value) ? fallBack('a change of what is frozen') : this.#save(value);
  }

  #save<T extends Value[] | PuppetHash>(value: T): T {
    if (this.#world?.transaction.isWaiting) fallBack('a change behind a call');
    if (this.#progress.walked.has(value)) fallBack('a change of what is walked through');
    if (!this.#owned.has(value)) this.world.transaction.keep(value);
    return value;
  }
}

function isUnfrozen(value: readonly Value[]): value is Value[] {
  return !isFrozen(value);
}

/** The local variables of a method, and its last match. */
export interface RubyFrame {
  readonly slots: Value[];
  readonly outer: RubyFrame | null;
  readonly matches: LastMatch;
  /** Whether the frame's result is the result of the whole program. */
  readonly isLast: boolean;
}

/** `$~`; undefined when it is unknown. */
export interface LastMatch {
  last: RubyMatch | null | undefined;
}

export interface Block {
  /** Calls the block with the yielded values; returns its result. */
  call(args: readonly Value[]): Value;
  readonly matches: LastMatch;
  /** Whether the block has no side effects. */
  readonly isPlain: boolean;
}

/** The arguments of a method call. */
export interface MethodCall {
  readonly render: Rendering;
  readonly args: readonly Value[];
  readonly block: Block | null;
  readonly matches: LastMatch;
  /** Default `needed`. */
  readonly use?: ResultUse;
}

export type RubyMethod<T extends Value = Value> = (self: T, call: MethodCall) => Value;

/** Makes a table of methods by name. */
export function byName<T>(methods: Readonly<Record<string, T>>): ReadonlyMap<string, T> {
  return new Map(Object.entries(methods));
}

/** Leaves a block, loop or method. It is no `Error`: only its target catches it. */
export class NativeJump {
  readonly value: Value;

  constructor(value: Value) {
    this.value = value;
  }
}

export class BreakJump extends NativeJump {
  readonly block: object;

  constructor(block: object, value: Value) {
    super(value);
    this.block = block;
  }
}

export class NextJump extends NativeJump {}

export class ReturnJump extends NativeJump {}

// ---- arguments

export function noArguments({ args, block }: MethodCall): void {
  if (args.length > 0 || block) fallBack('arguments');
}

/** Creates a method that takes neither arguments nor a block. */
export function withoutArguments<T extends Value, R extends Value>(
  method: (self: T, call: MethodCall) => R,
): (self: T, call: MethodCall) => R {
  return (self, call) => {
    noArguments(call);
    return method(self, call);
  };
}

export function getArgument({ args }: MethodCall, count = 1): Value {
  if (args.length !== count) fallBack('the number of arguments');
  return args[0] ?? null;
}

export function textArgument(call: MethodCall): string {
  return assertText(getArgument(call));
}

export function assertText(value: Value | undefined): string {
  return typeof value === 'string' ? value : fallBack('an argument that is no text');
}

/** Returns the name that a symbol or a text gives. */
export function nameOf(value: Value): string {
  return value instanceof RubySymbol ? value.name : assertText(value);
}

export function assertIndex(value: Value | undefined): number {
  if (typeof value !== 'bigint' || value > 100_000_000n || value < -100_000_000n)
    fallBack('an argument that is no small integer');
  return Number(value);
}

export function blockOf({ args, block }: MethodCall): Block {
  if (!block || args.length > 0) fallBack('no block');
  return block;
}
