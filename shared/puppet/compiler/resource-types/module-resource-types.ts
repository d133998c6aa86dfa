import { posix } from 'node:path';
import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { RubyError } from '../../errors/ruby-error.ts';
import type { ResourceTypeInfo } from '../../evaluator/ports.ts';
import type { RubyPort, RubySource } from '../../evaluator/ruby-port.ts';
import { askRuby } from '../../ruby/callbacks.ts';
import type { DefinitionSources } from '../definitions.ts';
import { toResourceType } from './described-resource-type.ts';
import { evalGeneratedType } from './generated-resource-type.ts';
import { isPlainTypeDefinition } from './plain-type-definition.ts';
import { type PreparedResourceType, replayFilesSeen } from './prepared-resource-types.ts';
import { readRubyType, readTypeThatFailed } from './ruby-type-reader.ts';

/** Raised by Ruby's side when the file defines another type or none. */
const NO_SUCH_TYPE = 'Understudy::NoSuchType';

type ReadType = Omit<ResourceTypeInfo, 'hasProviders'>;

/**
 * The file that defines a type, null when no module has it, and the type read from its text when
 * the text is sufficient.
 */
interface Definition {
  readonly source: RubySource | null;
  readonly type: ReadType | null;
}

/**
 * Resource types of modules. Files that `puppet generate types` wrote into the environment's
 * `.resource_types` take precedence over Ruby code. Ruby code is not run when its text alone
 * describes the type; otherwise Ruby describes the type, preferably at deployment. Puppet:
 * lib/puppet/pops/loader/runtime3_type_loader.rb
 */
export class ModuleResourceTypes {
  readonly #sources: DefinitionSources;
  readonly #types = new Map<string, ResourceTypeInfo | null>();

  constructor(sources: DefinitionSources) {
    this.#sources = sources;
  }

  /** Finds a type. Throws PuppetError when the type's Ruby code fails. */
  find(name: string): ResourceTypeInfo | null {
    const known = this.#types.get(name);
    if (known !== undefined) return known;
    const type = /^[a-z]\w*$/.test(name) ? (this.#loadGenerated(name) ?? this.#fromRuby(name)) : null;
    this.#types.set(name, type);
    return type;
  }

  #loadGenerated(name: string): ResourceTypeInfo | null {
    const { environment, parser, context } = this.#sources;
    if (context().settings.tasks) return null;
    const path = posix.join(environment.root, '.resource_types', `${name}.pp`);
    const program = parser.parseFile(path);
    return program && evalGeneratedType(program, name, path, context());
  }

  #fromRuby(name: string): ResourceTypeInfo | null {
    const { environment, preparedTypes } = this.#sources;
    const { source, type } = environment.memoize(`type ${name}`, () => this.#findDefinition(name));
    if (source === null) return null;
    if (type) return this.#withProviders(name, type);
    const prepared = preparedTypes.get(name);
    return prepared ? this.#loadPrepared(name, prepared) : this.#describe(name, source);
  }

  #findDefinition(name: string): Definition {
    const source = this.#findLibrary(posix.join('puppet/type', name));
    const isPlain = source !== null && isPlainTypeDefinition(name, source.text);
    return { source, type: isPlain ? this.#read(name, source) : null };
  }

  #read(name: string, { text }: RubySource): ReadType {
    return readRubyType(name, text, (path) => this.#findLibrary(path)?.text ?? null);
  }

  /** Adds providers to a type. `ownProvider`: whether its definition declares one. */
  #withProviders(name: string, type: ReadType, ownProvider = false): ResourceTypeInfo {
    return { ...type, hasProviders: () => ownProvider || this.#hasProviders(name) };
  }

  #loadPrepared(name: string, { description, files }: PreparedResourceType): ResourceTypeInfo {
    const { environment } = this.#sources;
    const type = environment.memoize(`prepared ${name}`, () => {
      replayFilesSeen(files, environment);
      return toResourceType(name, description);
    });
    return this.#withProviders(name, type, description.hasProvider);
  }

  #describe(name: string, source: RubySource): ResourceTypeInfo | null {
    const { ruby } = this.#sources.context();
    if (!ruby) return this.#withProviders(name, this.#read(name, source));
    try {
      return this.#askRuby(name, source, ruby);
    } catch (error) {
      if (!(error instanceof RubyError)) throw error;
      const type = readTypeThatFailed(error, name, source.text, (path) => this.#findLibrary(path)?.text ?? null);
      return type ? this.#withProviders(name, type) : this.#reportFailure(name, error);
    }
  }

  #askRuby(name: string, source: RubySource, ruby: RubyPort): ResourceTypeInfo {
    const context = this.#sources.context();
    const site = { context, scope: context.topScope, node: null };
    const description = askRuby(site, null, (callbacks) => ruby.describeType(name, source, callbacks));
    return this.#withProviders(name, toResourceType(name, description), description.hasProvider);
  }

  /** Puppet: lib/puppet/metatype/manager.rb (type), lib/puppet/util/autoload.rb */
  #reportFailure(name: string, error: RubyError): null {
    const { log } = this.#sources.context();
    if (error.rubyClass === NO_SUCH_TYPE) {
      log.add({ level: 'warning', message: `Loaded puppet/type/${name} but no class was created` });
      return null;
    }
    const issue = ISSUES.TYPE_NOT_AUTOLOADED({ name, detail: error.message });
    log.add({ level: 'err', message: issue.text });
    throw new PuppetError(issue, { cause: error });
  }

  /**
   * Whether the type has a provider; only then it has the parameter `provider`. Puppet:
   * Puppet::Type.providify
   */
  #hasProviders(name: string): boolean {
    return this.#sources.environment.memoize(`providers ${name}`, () => this.#findProviders(name));
  }

  #findProviders(name: string): boolean {
    const { environment } = this.#sources;
    return environment.listModules().some(({ root }) => {
      const folder = posix.join(root, 'lib/puppet/provider', name);
      const files = (environment.list(folder) ?? []).filter((file) => file.endsWith('.rb'));
      return files.some((file) => /\bprovide\b/.test(environment.readText(posix.join(folder, file)) ?? ''));
    });
  }

  /** Finds a module's Ruby file by its path in Ruby's `require`. */
  #findLibrary(path: string): RubySource | null {
    const { environment } = this.#sources;
    const folder = posix.dirname(path);
    for (const { root } of environment.listModules()) {
      // Many modules have no types: one read of the folder stands for all names. A read of the text
      // of a file that is not there would memoize that, which took most of the time.
      if (environment.kindOf(`${root}/lib/${folder}`) !== 'directory') continue;
      const file = `${root}/lib/${path}.rb`;
      const text = environment.digest(file) === null ? null : environment.readText(file);
      if (text !== null) return { path: file, text };
    }
    return null;
  }
}
