import { posix } from 'node:path';
import type { ResourceTypeInfo } from '../evaluator/ports.ts';
import type { DefinitionSources } from './definitions.ts';
import { generatedResourceType } from './generated-resource-type.ts';
import { readRubyType } from './ruby-type-reader.ts';

/**
 * Resource types that modules bring. What `puppet generate types` wrote into the environment's `.resource_types` goes
 * before Ruby code; what the compiler needs to know of that is read from its text: it is never run.
 * Puppet: lib/puppet/pops/loader/runtime3_type_loader.rb
 */
export class ModuleResourceTypes {
  readonly #sources: DefinitionSources;
  readonly #types = new Map<string, ResourceTypeInfo | null>();

  constructor(sources: DefinitionSources) {
    this.#sources = sources;
  }

  find(name: string): ResourceTypeInfo | null {
    const known = this.#types.get(name);
    if (known !== undefined) return known;
    const type = /^[a-z]\w*$/.test(name) ? (this.#generated(name) ?? this.#fromRuby(name)) : null;
    this.#types.set(name, type);
    return type;
  }

  #generated(name: string): ResourceTypeInfo | null {
    const { environment, parser, context } = this.#sources;
    if (context().settings.tasks) return null;
    const path = posix.join(environment.root, '.resource_types', `${name}.pp`);
    const program = parser.parseFile(path);
    return program && generatedResourceType(program, name, path, context());
  }

  #fromRuby(name: string): ResourceTypeInfo | null {
    const source = this.#library(posix.join('puppet/type', name));
    return source === null ? null : readRubyType(name, source, (path) => this.#library(path));
  }

  /** The text of a module's Ruby file, which `path` names as Ruby's `require` does. */
  #library(path: string): string | null {
    const { environment } = this.#sources;
    for (const module of environment.modules()) {
      const source = environment.readText(posix.join(module.root, 'lib', `${path}.rb`));
      if (source !== null) return source;
    }
    return null;
  }
}
