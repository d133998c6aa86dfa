import type { LegacyFunctionDescription } from '../../evaluator/ruby-port.ts';
import { readLegacyFunction } from './function-source.ts';
import type { NativeDefects } from './native-defects.ts';
import { compileBlock } from './program.ts';
import { ProgramCache } from './program-cache.ts';
import type { DefinedMethod } from './runtime.ts';

/** Number of characters of files whose programs are cached. */
const KEPT_CHARACTERS = 2_000_000;

interface LegacyFunctionProgram {
  readonly description: LegacyFunctionDescription;
  /** Paths of files that its file requires, from its folder. */
  readonly requires: readonly string[];
  readonly run: DefinedMethod;
}

/** Creates a cache of 3.x functions, by the text of their file. */
export function keepLegacyFunctions(defects: NativeDefects): ProgramCache<LegacyFunctionProgram> {
  return new ProgramCache(KEPT_CHARACTERS, defects, (text) => {
    const { description, requires, body } = readLegacyFunction(text);
    return { description, requires, run: compileBlock(body) };
  });
}

/** Whether the function accepts that number of arguments. */
export function takesCount({ arity }: LegacyFunctionDescription, count: number): boolean {
  return arity >= 0 ? count === arity : count >= -arity - 1;
}
