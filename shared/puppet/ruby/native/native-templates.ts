import type { RubyCallbacks } from '../../evaluator/ruby-callbacks.ts';
import type { RubySource } from '../../evaluator/ruby-port.ts';
import type { Value } from '../../types/values/values.ts';
import { CompileWorld } from './compile-world.ts';
import { translateErb } from './erb-program.ts';
import { fallBack } from './fallback.ts';
import { TEMPLATE_SELF } from './methods/template-methods.ts';
import type { NativeWork } from './native-work.ts';
import { compileRuby } from './program.ts';
import { ProgramCache } from './program-cache.ts';
import { Rendering } from './runtime.ts';
import type { Transaction } from './transaction.ts';

/** Code that may read variables without naming them, or depend on their order. */
const REFLECTIVE = /instance_variable(?!s\.any\? )|\bbinding\b|\beval\b|instance_eval|instance_exec/;

/** A compiled template. */
export interface TemplateProgram {
  /** Renders the template. `variable` returns a variable of the scope by name. Throws Fallback. */
  render(world: CompileWorld, variable: (name: string) => Value | undefined, owned: WeakSet<object>): string;
}

/** Compiles a template. Throws Fallback for one that only Ruby can render. */
export function compileTemplate(source: string): TemplateProgram {
  const program = source.isWellFormed() && translateErb(source);
  if (!program || REFLECTIVE.test(program.code)) return fallBack('what the template is');
  const run = compileRuby(program.code, program.texts);
  // Ruby receives every name after an `@` anywhere in the text, so all of them are inputs of the
  // compile.
  const names = new Set(Array.from(source.matchAll(/(?<!@)@([a-zA-Z_]\w*)/g), ([, name = '']) => name));
  return {
    render: (world, variable, owned) => {
      const render = new Rendering(world, TEMPLATE_SELF, instanceVariables(names, variable), owned);
      run(render);
      return render.text.isWellFormed() ? render.text : fallBack('halves of characters');
    },
  };
}

function instanceVariables(names: Iterable<string>, variable: (name: string) => Value | undefined): Map<string, Value> {
  const found = Array.from(names, (name) => [name, variable(name) ?? null] as const);
  return new Map(found.filter(([, value]) => value !== null));
}

/** Number of characters of templates whose programs are cached. */
const KEPT_CHARACTERS = 4_000_000;
const DEPTH_LIMIT = 20;

/**
 * Renders ERB templates without Ruby. A template qualifies when it uses only operations known to
 * produce the same bytes here. All else, and every failure, is left to Ruby as if nothing had been
 * tried.
 */
export class NativeTemplates {
  readonly #work: NativeWork;
  readonly #kept: ProgramCache<TemplateProgram>;
  #depth = 0;
  #definitions: string[] = [];

  constructor(work: NativeWork) {
    this.#work = work;
    this.#kept = new ProgramCache(KEPT_CHARACTERS, work.defects, compileTemplate);
  }

  beginCompile(): void {
    this.#depth = 0;
    this.#definitions = [];
  }

  /**
   * Returns the texts of methods that templates defined here and Ruby code may call; each text is
   * returned once.
   */
  takeDefinitions(): readonly string[] {
    const taken = this.#definitions;
    this.#definitions = [];
    return taken;
  }

  /**
   * Renders a template; null when Ruby must render it. Inside other native code it throws Fallback
   * instead of returning null.
   */
  render(source: RubySource, callbacks: RubyCallbacks): string | null {
    const kept = this.#kept.find(source);
    const { program } = kept;
    const outer = this.#work.transaction;
    if (!program || this.#work.isAltered) return outer ? fallBack('a template within') : null;
    if (outer) return this.#renderWithin(source.path, program, outer, callbacks);
    if (kept.skip()) return null;
    this.#depth = 0;
    const done = this.#work.run(
      source.path,
      (transaction) => this.#renderWithin(source.path, program, transaction, callbacks),
      ({ definitions }) => this.#definitions.push(...definitions),
    );
    kept.count(done === null);
    return done?.[0] ?? null;
  }

  #renderWithin(path: string, program: TemplateProgram, transaction: Transaction, callbacks: RubyCallbacks): string {
    if (this.#depth >= DEPTH_LIMIT) fallBack('templates within templates');
    this.#depth += 1;
    const world = new CompileWorld(transaction, callbacks, null);
    const variable = (name: string) => transaction.ask(() => callbacks.getVariable(name, false, null));
    const rendered = transaction.attempt(path, () => program.render(world, variable, transaction.owned));
    this.#depth -= 1;
    return rendered;
  }
}
