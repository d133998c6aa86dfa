/** Compiles files of modules that functions require, and finds them. */
import { posix } from 'node:path';
import type { RubyCallbacks } from '../../evaluator/ruby-callbacks.ts';
import type { Value } from '../../types/values/values.ts';
import { readLibrary } from './library-source.ts';
import type { NativeDefects } from './native-defects.ts';
import { DefinedModule } from './objects.ts';
import { compileMethod, evaluateConstant } from './program.ts';
import { ProgramCache } from './program-cache.ts';
import type { DefinedMethod, Modules } from './runtime.ts';

/** Number of characters of files whose programs are cached. */
const KEPT_CHARACTERS = 1_000_000;

/** A file's part of a module: another file may define more of the same module. */
interface ModulePart {
  readonly name: string;
  readonly isClass: boolean;
  readonly methods: ReadonlyMap<string, DefinedMethod>;
  readonly dependent: ReadonlySet<string>;
}

/** The files of modules that functions required in a compile, and the modules that they define. */
export class Libraries {
  readonly #kept: ProgramCache<readonly ModulePart[]>;
  /** Whether native code can load each file. */
  readonly #files = new Map<string, boolean>();
  /** All functions of a compile share them, as Ruby's constants. */
  readonly #modules = new Map<string, DefinedModule>();
  #unreported: string[] = [];

  constructor(defects: NativeDefects) {
    this.#kept = new ProgramCache(KEPT_CHARACTERS, defects, compileLibrary);
  }

  clear(): void {
    this.#files.clear();
    this.#modules.clear();
    this.#unreported = [];
  }

  /** Returns the files loaded since the last call; Ruby's code may use what they define. */
  takeLoaded(): readonly string[] {
    const taken = this.#unreported;
    if (taken.length > 0) this.#unreported = [];
    return taken;
  }

  /**
   * Loads the files that a file requires, as paths from its folder, and returns all modules by
   * name; null when Ruby must load one of the files. Each is read, and thereby recorded, once in a
   * compile.
   */
  load(path: string, requires: readonly string[], callbacks: RubyCallbacks): Modules | null {
    for (const required of requires) {
      const file = posix.join(posix.dirname(path), required.endsWith('.rb') ? required : `${required}.rb`);
      const isLoaded = this.#files.get(file) ?? this.#loadFile(file, callbacks);
      this.#files.set(file, isLoaded);
      if (!isLoaded) return null;
    }
    return this.#modules;
  }

  #loadFile(file: string, callbacks: RubyCallbacks): boolean {
    const text = callbacks.readFile(file);
    const { program = null } = text === null ? {} : this.#kept.find({ path: file, text });
    if (!program?.every(({ name }) => isNamedAfter(name, file))) return false;
    if (program.some(({ name, isClass }) => (this.#modules.get(name)?.isClass ?? isClass) !== isClass)) return false;
    for (const part of program) this.#modules.set(part.name, joinParts(this.#modules.get(part.name), part));
    this.#unreported.push(file);
    return true;
  }
}

function joinParts(
  before: DefinedModule | undefined,
  { name, isClass, methods, dependent }: ModulePart,
): DefinedModule {
  const all = new Map([...(before?.methods ?? []), ...methods]);
  return new DefinedModule(name, isClass, all, new Set([...(before?.dependent ?? []), ...dependent]));
}

/**
 * Whether a module has a name that only modules use: `PuppetX`, or a name in `Puppet` that follows
 * from the path, as `Puppet::Icinga2` in `puppet_x/icinga2/utils.rb`.
 */
function isNamedAfter(name: string, path: string): boolean {
  const [root = '', second = ''] = name.split('::');
  if (/^Puppet_?[xX]$/.test(root)) return second !== '';
  return root === 'Puppet' && new RegExp(`/puppet_?x/${second.toLowerCase()}/`).test(path);
}

function compileLibrary(text: string): readonly ModulePart[] {
  return readLibrary(text).map(({ name, isClass, scopes, methods, constants: set, dependent }) => {
    const constants = new Map<string, Value>();
    for (const [constant, value] of set) constants.set(constant, evaluateConstant(value, constants));
    const compiled = methods.map((one): readonly [string, DefinedMethod] => [
      one.name,
      compileMethod(one, constants, scopes),
    ]);
    return { name, isClass, methods: new Map(compiled), dependent };
  });
}
