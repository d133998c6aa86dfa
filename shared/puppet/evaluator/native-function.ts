/**
 * Defines functions implemented here, as `Puppet::Functions.create_function` does. A function is a
 * list of dispatches with typed parameters; the first dispatch that accepts the arguments is
 * called. Follows lib/puppet/functions.rb and
 * lib/puppet/pops/functions/{dispatcher,dispatch,function}.rb.
 */
import { PuppetError } from '../errors/puppet-error.ts';
import { describeSignatures, type SignatureDescription } from '../types/mismatch-describer.ts';
import type { PType } from '../types/ptype.ts';
import { parseType, type TypeNames } from '../types/type-parser.ts';
import type { Value } from '../types/values/values.ts';
import { NextSignal } from './control-flow.ts';
import type { Callable, CallSite, PuppetFunction } from './ports.ts';

/** The implementation of a dispatch; `block` is null for a call without one. */
type FunctionBody = (site: CallSite, args: readonly Value[], block: Callable | null) => Value;

export interface DispatchSpec {
  /**
   * Parameters as `Type name`. A prefix marks optional (`?`), repeated (`*`, zero or more) or
   * required repeated (`+`, one or more) parameters. Types may name `localTypes`.
   */
  readonly params: readonly string[];
  /** `Callable[1,1] block` or `?Callable block`; absent when the dispatch takes no block. */
  readonly block?: string;
  /** Type text of the result; shown in signatures only. */
  readonly returns?: string;
  readonly body: FunctionBody;
}

/**
 * Like a dispatch, but for arguments that no real dispatch accepts. Its body returns the text of
 * the error `'name' <text>`.
 */
export interface MismatchSpec {
  readonly params: readonly string[];
  readonly block?: string;
  readonly message: (args: readonly Value[], site: CallSite) => string;
}

interface FunctionOptions {
  /** `argument_mismatch` handlers, tried after all dispatches. */
  readonly mismatches?: readonly MismatchSpec[];
  /**
   * Type aliases for the parameter types, by name, or a resolver for them. Aliases may refer to
   * each other and to themselves.
   */
  readonly localTypes?: TypeNames;
  /** Whether `next` in it leads out of it: given for `next` itself. */
  readonly passesNext?: true;
  /** Given for one that a module brings in Ruby. */
  readonly source?: 'ruby';
}

/** Defines a function by its exact Puppet name. Type texts are parsed at the first call. */
export function defineFunction(
  name: string,
  dispatches: DispatchSpec | readonly DispatchSpec[],
  options: FunctionOptions = {},
): PuppetFunction {
  return new NativeFunction(name, [dispatches].flat(), options);
}

interface Dispatch {
  readonly minimum: number;
  readonly maximum: number;
  readonly parameterTypes: readonly PType[];
  readonly blockType: PType | null;
  readonly blockOptional: boolean;
  readonly signature: SignatureDescription;
}

class NativeFunction implements PuppetFunction {
  readonly name: string;
  readonly source?: 'ruby';
  readonly #specs: readonly DispatchSpec[];
  readonly #options: FunctionOptions;
  #dispatches: readonly Dispatch[] | null = null;
  #mismatches: readonly Dispatch[] | null = null;

  constructor(name: string, specs: readonly DispatchSpec[], options: FunctionOptions) {
    this.name = name;
    this.#specs = specs;
    this.#options = options;
    if (options.source) this.source = options.source;
  }

  call(site: CallSite, args: readonly Value[], block: Callable | null): Value {
    const chosen = this.#specs[firstThatAccepts(this.#parseDispatches(), args, block)];
    if (!chosen) throw new PuppetError(this.#mismatchMessage(site, args, block));
    try {
      return chosen.body(site, args, block);
    } catch (error) {
      // Puppet: Dispatcher#dispatch. Lambdas end at `next` themselves; their default expressions
      // end the function.
      if (error instanceof NextSignal && !this.#options.passesNext) return error.value;
      throw error;
    }
  }

  getSignatures(): readonly PType[] {
    return this.#parseDispatches().map((dispatch) => dispatch.signature.type);
  }

  #parseDispatches(): readonly Dispatch[] {
    this.#dispatches ??= this.#specs.map((spec) => parseDispatch(spec, spec.returns, this.#options.localTypes));
    return this.#dispatches;
  }

  #parseMismatches(): readonly Dispatch[] {
    this.#mismatches ??= (this.#options.mismatches ?? []).map((spec) =>
      parseDispatch(spec, undefined, this.#options.localTypes),
    );
    return this.#mismatches;
  }

  #mismatchMessage(site: CallSite, args: readonly Value[], block: Callable | null): string {
    const handler = this.#options.mismatches?.[firstThatAccepts(this.#parseMismatches(), args, block)];
    if (handler) return `'${this.name}' ${handler.message(args, site)}`;
    const signatures = this.#parseDispatches().map((dispatch) => dispatch.signature);
    return describeSignatures(this.name, signatures, args, block?.type ?? null);
  }
}

/** Returns the index of the first dispatch that accepts the arguments; -1 when none does. */
function firstThatAccepts(dispatches: readonly Dispatch[], args: readonly Value[], block: Callable | null): number {
  let place = 0;
  for (const dispatch of dispatches) {
    if (accepts(dispatch, args, block)) return place;
    place += 1;
  }
  return -1;
}

function accepts(dispatch: Dispatch, args: readonly Value[], block: Callable | null): boolean {
  if (args.length < dispatch.minimum || args.length > dispatch.maximum) return false;
  if (!blockFits(dispatch, block)) return false;
  const { parameterTypes } = dispatch;
  const last = parameterTypes.length - 1;
  for (let index = 0; index < args.length; index += 1) {
    if (!parameterTypes[Math.min(index, last)]?.isInstance(args[index] ?? null)) return false;
  }
  return true;
}

function blockFits(dispatch: Dispatch, block: Callable | null): boolean {
  if (dispatch.blockType === null) return block === null;
  if (block === null) return dispatch.blockOptional;
  return dispatch.blockType.isAssignable(block.type);
}

interface ParameterText {
  readonly type: string;
  readonly name: string;
  readonly required: boolean;
  readonly repeated: boolean;
}

/** Splits `?Integer[1, 2] name`; the name follows the last blank. */
function splitParameter(text: string): ParameterText {
  const marker = /^[?*+]/.exec(text)?.[0] ?? '';
  const blank = text.lastIndexOf(' ');
  return {
    type: text.slice(marker.length, blank).trim(),
    name: text.slice(blank + 1),
    required: marker === '' || marker === '+',
    repeated: marker === '*' || marker === '+',
  };
}

function parseDispatch(
  spec: { readonly params: readonly string[]; readonly block?: string },
  returns: string | undefined,
  localTypes: TypeNames | undefined,
): Dispatch {
  const params = spec.params.map(splitParameter);
  const block = spec.block === undefined ? null : splitParameter(spec.block);
  const minimum = params.filter((param) => param.required).length;
  const maximum = params.at(-1)?.repeated ? Number.POSITIVE_INFINITY : params.length;
  return {
    minimum,
    maximum,
    parameterTypes: params.map((param) => parseType(param.type, localTypes)),
    blockType: block && parseType(block.type, localTypes),
    blockOptional: block ? !block.required : true,
    signature: {
      type: parseType(callableText(params, block, minimum, maximum, returns), localTypes),
      parameterNames: params.map((param) => param.name),
      blockName: block?.name ?? null,
    },
  };
}

function callableText(
  params: readonly ParameterText[],
  block: ParameterText | null,
  minimum: number,
  maximum: number,
  returns: string | undefined,
): string {
  const parts = params.map((param) => param.type);
  const isExact = minimum > 0 && minimum === maximum;
  if (!isExact) parts.push(String(minimum), maximum === Number.POSITIVE_INFINITY ? 'default' : String(maximum));
  if (block) parts.push(block.required ? block.type : `Optional[${block.type}]`);
  return returns === undefined ? `Callable[${parts.join(', ')}]` : `Callable[[${parts.join(', ')}], ${returns}]`;
}
