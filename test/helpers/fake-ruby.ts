import { RubyError } from '../../shared/puppet/errors/ruby-error.ts';
import type { RubyCallbacks } from '../../shared/puppet/evaluator/ruby-callbacks.ts';
import type {
  LegacyFunctionDescription,
  RubyDispatch,
  RubyFunctionDescription,
  RubyPort,
  RubySource,
  RubyTypeDescription,
} from '../../shared/puppet/evaluator/ruby-port.ts';
import type { Value } from '../../shared/puppet/types/values/values.ts';

/** A block passed to a function; null without one. */
export type Block = ((args: readonly Value[]) => Value) | null;

export interface FakeRubyCode {
  /** By function name: its dispatches, with bodies by method name. */
  readonly functions?: Readonly<
    Record<
      string,
      {
        readonly dispatches: readonly Partial<RubyDispatch>[];
        readonly localTypes?: readonly string[];
        readonly body: (method: string, args: readonly Value[], block: Block, callbacks: RubyCallbacks) => Value;
      }
    >
  >;
  readonly legacy?: Readonly<
    Record<
      string,
      Omit<LegacyFunctionDescription, 'name'> & {
        readonly body: (args: readonly Value[], callbacks: RubyCallbacks) => Value;
      }
    >
  >;
  readonly types?: Readonly<Record<string, RubyTypeDescription>>;
  readonly render?: (template: RubySource, callbacks: RubyCallbacks) => string;
}

/**
 * A Ruby host without Ruby: its functions are JavaScript. Like a real host, it wraps errors that
 * its callbacks throw.
 */
export function fakeRuby({
  functions = {},
  legacy = {},
  types = {},
  render = ({ text }) => text,
}: FakeRubyCode): RubyPort {
  return {
    describeFunction: (name): RubyFunctionDescription => ({
      name,
      localTypes: functions[name]?.localTypes ?? [],
      dispatches: (functions[name]?.dispatches ?? []).map((dispatch) => ({
        method: name,
        parameters: [],
        block: null,
        returns: null,
        isMismatch: false,
        ...dispatch,
      })),
    }),
    callFunction: ({ name }, method, args, block, callbacks) =>
      crossRuby(() => functions[name]?.body(method, args, block, callbacks) ?? null),
    describeLegacyFunction: (name) => {
      const { type, arity } = legacy[name] ?? { type: 'rvalue', arity: -1 };
      return { name, type, arity };
    },
    callLegacyFunction: (name, args, callbacks) => crossRuby(() => legacy[name]?.body(args, callbacks) ?? null),
    renderTemplate: (template, callbacks) => crossRuby(() => render(template, callbacks)),
    checkTemplate: () => undefined,
    lookUpDefaults: () => ({ values: new Map(), entered: [] }),
    describeType: (name) => {
      const description = types[name];
      if (description) return description;
      throw new RubyError('Understudy::NoSuchType', `no type ${name}`, { file: null, line: null });
    },
    describeDataType: (name) => {
      throw new RubyError('NotImplementedError', `no data type ${name}`, { file: null, line: null });
    },
    callDataType: () => null,
    beginCompile: () => undefined,
    endCompile: () => undefined,
    takeNativeDefects: () => [],
    isStarting: false,
  };
}

/** Creates an error of Ruby code as a host throws it. */
export function rubyError(message: string, rubyClass = 'RuntimeError', line: number | null = null): RubyError {
  return new RubyError(rubyClass, message, { file: null, line });
}

function crossRuby<T>(body: () => T): T {
  try {
    return body();
  } catch (error) {
    if (error instanceof RubyError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new RubyError('Puppet::Error', message, { file: null, line: null }, error);
  }
}
