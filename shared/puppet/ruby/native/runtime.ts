import type { VisibleVariables } from '../../evaluator/ruby-port.ts';
import { isFrozen } from '../../types/values/frozen.ts';
import type { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';
import { fallBack } from './fallback.ts';
import type { RubyMatch } from './objects.ts';

/** Work that a template may do here; who does more is left to Ruby, which has a limit of time. */
const STEP_LIMIT = 2_000_000;
const TEXT_LIMIT = 1 << 24;

/** What a template asks of the compile, and what it does there. */
export interface TemplateWorld {
  /** As `scope.lookupvar`. */
  lookUp(name: string): Value;
  /** Whether there is a variable, undef or not, and whether it is not undef. */
  hasVariable(name: string): boolean;
  hasValue(name: string): boolean;
  /** `scope.to_hash`. */
  variables(): VisibleVariables;
  /** Tags and classes of the catalog as it is. */
  listTags(which: 'all' | 'classes'): readonly string[];
  setVariable(name: string, value: Value): void;
  /** One whose result is not needed may be called in the end. */
  callFunction(name: string, args: readonly Value[], isLegacy: boolean, use: ResultUse): Value;
  /** A line of the log. */
  log(level: string, message: string): void;
  /** Whether something was put off to the end, before which nothing else may happen. */
  readonly isWaiting: boolean;
  /** Has what is in the container come back when the rendering is given up. */
  keep(container: Value[] | PuppetHash): void;
  defineMethod(name: string, source: string, method: DefinedMethod): void;
  findMethod(name: string): DefinedMethod | undefined;
}

/** Where nothing may be asked. */
export const NO_WORLD: TemplateWorld = {
  lookUp: refuseCallbacks,
  hasVariable: refuseCallbacks,
  hasValue: refuseCallbacks,
  variables: refuseCallbacks,
  listTags: refuseCallbacks,
  setVariable: refuseCallbacks,
  callFunction: refuseCallbacks,
  log: refuseCallbacks,
  isWaiting: false,
  keep: refuseCallbacks,
  defineMethod: refuseCallbacks,
  findMethod: refuseCallbacks,
};

function refuseCallbacks(): never {
  return fallBack('the compile asked where there is none');
}

/** What code has for `self`: the object, and what it calls without a receiver. */
export interface SelfObject {
  readonly value: Value;
  call(name: string, call: MethodCall): Value;
}

/**
 * What becomes of a result: code works with it, nobody has it, or it is what all of the code gives,
 * which ends with that.
 */
export type ResultUse = 'needed' | 'discarded' | 'last';

/** `isLast`: whether what it gives is what all of the code gives, which ends with that. */
export type DefinedMethod = (render: Rendering, args: readonly Value[], isLast?: boolean) => Value;

/** One rendering of a template, or one call of a function. */
export class Rendering {
  readonly world: TemplateWorld;
  readonly self: SelfObject;
  readonly ivars: Map<string, Value>;
  readonly #owned: WeakSet<object>;
  readonly #walked = new Set<object>();
  #parts = '';
  #steps = 0;

  /** `owned`: arrays and hashes that the code made, or other code that is part of it. */
  constructor(world: TemplateWorld, self: SelfObject, ivars: Map<string, Value>, owned: WeakSet<object>) {
    this.world = world;
    this.self = self;
    this.ivars = ivars;
    this.#owned = owned;
  }

  get text(): string {
    return this.#parts;
  }

  write(text: string): void {
    this.#parts += text;
    if (this.#parts.length > TEXT_LIMIT) fallBack('a long text');
  }

  step(): void {
    this.#steps += 1;
    if (this.#steps > STEP_LIMIT) fallBack('long work');
  }

  /**
   * Notes that nobody else has the array or hash, so that changing it is nobody else's business.
   */
  markOwn<T extends Value[] | PuppetHash>(container: T): T {
    this.#owned.add(container);
    return container;
  }

  /** Does `work`, which goes through the container: nothing may change it meanwhile. */
  walk<T>(container: object, work: () => T): T {
    const isOuter = !this.#walked.has(container);
    this.#walked.add(container);
    try {
      return work();
    } finally {
      if (isOuter) this.#walked.delete(container);
    }
  }

  /**
   * The same array, to be changed. Who else has it sees the change; what nobody may change is left
   * to Ruby, which says so.
   */
  assertChangeable(value: readonly Value[]): Value[] {
    if (!isUnfrozen(value)) return fallBack('a change of what is frozen');
    if (this.world.isWaiting) fallBack('a change behind a call');
    if (this.#walked.has(value)) fallBack('a change of what is walked through');
    if (!this.#owned.has(value)) this.world.keep(value);
    return value;
  }

  changeableHash(value: PuppetHash): PuppetHash {
    if (isFrozen(value)) fallBack('a change of what is frozen');
    if (this.world.isWaiting) fallBack('a change behind a call');
    if (this.#walked.has(value)) fallBack('a change of what is walked through');
    if (!this.#owned.has(value)) this.world.keep(value);
    return value;
  }
}

function isUnfrozen(value: readonly Value[]): value is Value[] {
  return !isFrozen(value);
}

/** Local variables, and the last match of the method that they are in. */
export interface RubyFrame {
  readonly slots: Value[];
  readonly outer: RubyFrame | null;
  readonly matches: LastMatch;
  /** Whether the code ends with the method that it is for. */
  readonly isLast: boolean;
}

/** `$~`; undefined when it isn't known. */
export interface LastMatch {
  last: RubyMatch | null | undefined;
}

export interface Block {
  /** What the block gives; `args` are what is yielded. */
  call(args: readonly Value[]): Value;
  readonly matches: LastMatch;
  /** Whether it does nothing but answer. */
  readonly isPlain: boolean;
}

/** What a method of a value works with. */
export interface MethodCall {
  readonly render: Rendering;
  readonly args: readonly Value[];
  readonly block: Block | null;
  readonly matches: LastMatch;
  /** `needed` when it isn't there. */
  readonly use?: ResultUse;
}

export type RubyMethod<T extends Value = Value> = (self: T, call: MethodCall) => Value;

export class BreakJump extends Error {
  readonly block: object;
  readonly value: Value;

  constructor(block: object, value: Value) {
    super('break');
    this.block = block;
    this.value = value;
  }
}

export class NextJump extends Error {
  readonly value: Value;

  constructor(value: Value) {
    super('next');
    this.value = value;
  }
}

export class ReturnJump extends Error {
  readonly value: Value;

  constructor(value: Value) {
    super('return');
    this.value = value;
  }
}

// ---- arguments

export function noArguments({ args, block }: MethodCall): void {
  if (args.length > 0 || block) fallBack('arguments');
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

export function assertIndex(value: Value | undefined): number {
  if (typeof value !== 'bigint' || value > 100_000_000n || value < -100_000_000n)
    fallBack('an argument that is no small integer');
  return Number(value);
}

export function blockOf({ args, block }: MethodCall): Block {
  if (!block || args.length > 0) fallBack('no block');
  return block;
}
