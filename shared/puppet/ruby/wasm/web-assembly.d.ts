/**
 * The part of JavaScript's WebAssembly API that Ruby's host uses. TypeScript declares it only for
 * browsers.
 */
declare namespace WebAssembly {
  interface ModuleImportDescriptor {
    readonly module: string;
    readonly name: string;
  }

  type ImportedFunction = (...args: readonly never[]) => unknown;
  type ModuleImports = Record<string, ImportedFunction>;
  type Imports = Record<string, ModuleImports>;

  class Module {
    constructor(bytes: Uint8Array<ArrayBuffer>);
    static imports(module: Module): ModuleImportDescriptor[];
  }

  function validate(bytes: Uint8Array<ArrayBuffer>): boolean;

  class Memory {
    private constructor();
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }

  class Global {
    private constructor();
    value: number;
  }

  class Instance {
    constructor(module: Module, imports: Imports);
    readonly exports: Readonly<Record<string, unknown>>;
  }
}
