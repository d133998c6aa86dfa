import type { Value } from '../../types/values/values.ts';
import type { CompileWorld } from './compile-world.ts';
import { translateErb } from './erb-program.ts';
import { fallBack } from './fallback.ts';
import { TEMPLATE_SELF } from './methods/template-methods.ts';
import { compileRuby } from './program.ts';
import { Rendering } from './runtime.ts';

/** Code that may read variables without naming them. */
const REFLECTIVE = /instance_variable|\bbinding\b|\beval\b|instance_eval|instance_exec/;

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
  const found = new Map<string, Value>();
  for (const name of names) {
    const value = variable(name);
    if (value !== undefined && value !== null) found.set(name, value);
  }
  return found;
}
