import { posix } from 'node:path';
import type { Environment } from '../environment/environment.ts';
import type { ResourceTypeInfo } from '../evaluator/ports.ts';
import { readRubyType } from './ruby-type-reader.ts';

/**
 * Resource types that modules bring as Ruby code. What the compiler needs to know of one is read from its text; it is
 * never run.
 */
export class ModuleResourceTypes {
  readonly #environment: Environment;
  readonly #types = new Map<string, ResourceTypeInfo | null>();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  find(name: string): ResourceTypeInfo | null {
    const known = this.#types.get(name);
    if (known !== undefined) return known;
    const type = /^[a-z]\w*$/.test(name) ? this.#load(name) : null;
    this.#types.set(name, type);
    return type;
  }

  #load(name: string): ResourceTypeInfo | null {
    for (const module of this.#environment.modules()) {
      const source = this.#environment.readText(posix.join(module.root, 'lib/puppet/type', `${name}.rb`));
      if (source !== null) return readRubyType(name, source);
    }
    return null;
  }
}
