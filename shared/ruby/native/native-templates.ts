import { PuppetError } from '../../errors/puppet-error.ts';
import type { RubyCallbacks, RubySource } from '../port.ts';
import { Fallback, fallBack } from './fallback.ts';
import { compileTemplate, type TemplateProgram } from './template-program.ts';
import { leavesToRuby, Transaction } from './transaction.ts';

/** So many characters of templates are kept compiled. */
const KEPT_CHARACTERS = 4_000_000;
const DEPTH_LIMIT = 20;
/** A template that was tried so often in vain is Ruby's. */
const VAIN_LIMIT = 4;

interface Kept {
  /** Null for one that only Ruby can render. */
  readonly program: TemplateProgram | null;
  /** How often Ruby had to render it, less how often it had not. */
  inVain: number;
}

/**
 * ERB templates that are rendered without Ruby: those that use only what is known to give the same bytes here. All else, and all that
 * fails, is left to Ruby, as if nothing had been tried.
 */
export class NativeTemplates {
  readonly #kept = new Map<string, Kept>();
  #characters = 0;
  #transaction: Transaction | null = null;
  #depth = 0;
  #definitions: string[] = [];
  /** Whether code of modules changed what Ruby's own classes do: then Ruby renders all. */
  isAltered = false;

  /** Whether a template is being rendered, so that nothing may be done that can't be taken back. */
  get isRendering(): boolean {
    return this.#transaction !== null;
  }

  beginCompile(): void {
    this.#transaction = null;
    this.#depth = 0;
    this.#definitions = [];
    this.isAltered = false;
  }

  /** Texts of methods that templates defined here, which others may call in Ruby: given once. */
  takeDefinitions(): readonly string[] {
    const taken = this.#definitions;
    this.#definitions = [];
    return taken;
  }

  /** The text; null when Ruby has to render it. Within another template that is rendered here, it throws Fallback instead. */
  render({ text }: RubySource, callbacks: RubyCallbacks): string | null {
    const kept = this.#find(text);
    const outer = this.#transaction;
    if (!kept.program || this.isAltered) return outer ? fallBack('a template within') : null;
    if (outer) return this.#renderWithin(kept.program, outer, callbacks);
    if (kept.inVain >= VAIN_LIMIT) return null;
    const rendered = this.#renderAlone(kept.program, callbacks);
    kept.inVain = Math.max(-VAIN_LIMIT, kept.inVain + (rendered === null ? 1 : -1));
    return rendered;
  }

  #renderAlone(program: TemplateProgram, callbacks: RubyCallbacks): string | null {
    const transaction = new Transaction(() => this.isAltered);
    this.#transaction = transaction;
    try {
      const rendered = this.#renderWithin(program, transaction, callbacks);
      transaction.check();
      this.#transaction = null;
      this.#definitions.push(...transaction.definitions);
      transaction.commit();
      return rendered;
    } catch (error) {
      if (this.#transaction === null) throw error;
      this.#transaction = null;
      transaction.rollBack();
      if (leavesToRuby(error)) return null;
      throw error;
    } finally {
      this.#transaction = null;
      this.#depth = 0;
    }
  }

  #renderWithin(program: TemplateProgram, transaction: Transaction, callbacks: RubyCallbacks): string {
    if (this.#depth >= DEPTH_LIMIT) fallBack('templates within templates');
    this.#depth += 1;
    const world = transaction.worldOf(callbacks);
    const rendered = program.render(world, (name) => callbacks.variable(name, false, false), transaction.owned);
    this.#depth -= 1;
    return rendered;
  }

  #find(text: string): Kept {
    const known = this.#kept.get(text);
    if (known) return known;
    const made: Kept = { program: compiled(text), inVain: 0 };
    if (this.#characters + text.length > KEPT_CHARACTERS) {
      this.#kept.clear();
      this.#characters = 0;
    }
    this.#characters += text.length;
    this.#kept.set(text, made);
    return made;
  }
}

function compiled(text: string): TemplateProgram | null {
  try {
    return compileTemplate(text);
  } catch (error) {
    if (error instanceof Fallback || error instanceof PuppetError) return null;
    throw error;
  }
}
