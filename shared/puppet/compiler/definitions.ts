import { posix } from 'node:path';
import { definitionName } from '../catalog/type-name.ts';
import type { Environment } from '../environment/environment.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import type { Issue } from '../errors/issues/issue.ts';
import { locationSuffix, PuppetError } from '../errors/puppet-error.ts';
import type {
  ClassDefinition,
  CompileContext,
  DefineDefinition,
  Definitions,
  PuppetFunction,
  ResourceTypeInfo,
} from '../evaluator/ports.ts';
import type { MatchGroups } from '../evaluator/scope-frame.ts';
import { typeResolver } from '../evaluator/type-references.ts';
import type {
  Definition,
  Expression,
  HostClassDefinition,
  Program,
  ResourceTypeDefinition,
  TypeAlias,
} from '../language/ast.ts';
import { PType } from '../types/ptype.ts';
import { rubyClassName } from '../types/ruby-class.ts';
import { TYPES_BY_NAME } from '../types/type-names.ts';
import { findBuiltInType } from '../types/type-parser.ts';
import { CodeUnit, placeOf, type UnitFinder } from './code-unit.ts';
import { FunctionDefinitions, originOf, redefinitionError } from './function-definitions.ts';
import type { ManifestParser } from './manifest-parser.ts';
import { NodeDefinitions } from './node-definitions.ts';
import { findBuiltinType, isMetaparameter } from './resource-types/builtin-types.ts';
import { typesOfParameters } from './resource-types/constant-types.ts';
import { ModuleResourceTypes } from './resource-types/module-resource-types.ts';
import type { PreparedResourceTypes } from './resource-types/prepared-resource-types.ts';
import { findVendoredType } from './resource-types/vendored-types.ts';
import { TypeDefinitions } from './type-definitions.ts';

export interface DefinitionSources {
  readonly environment: Environment;
  readonly parser: ManifestParser;
  readonly functions: ReadonlyMap<string, PuppetFunction>;
  /** Resource types that Ruby described earlier. */
  readonly preparedTypes: PreparedResourceTypes;
  /** Returns the compile that the definitions belong to. */
  readonly context: () => CompileContext;
}

/**
 * All names that the code of one compile can use: definitions of the site manifest and of modules.
 * A module's file is loaded when one of its names is first used. Puppet:
 * lib/puppet/resource/type_collection.rb, parser/type_loader.rb, pops/loader/
 */
export class EnvironmentDefinitions implements Definitions, UnitFinder {
  /** The unit of code outside all classes, defines and nodes. */
  readonly mainUnit: CodeUnit;
  readonly nodes = new NodeDefinitions();
  /** Programs of the site manifest, in order. */
  readonly programs: Program[] = [];
  readonly #sources: DefinitionSources;
  readonly #classes = new Map<string, CodeUnit>();
  readonly #defines = new Map<string, CodeUnit>();
  readonly #functions: FunctionDefinitions;
  readonly #typeOrigins = new Map<string, TypeAlias>();
  readonly #types: TypeDefinitions;
  readonly #resourceTypes: ModuleResourceTypes;
  /** Names that were searched and not found. */
  readonly #missing = { class: new Set<string>(), define: new Set<string>() };
  readonly #loaded = new Set<string>();

  constructor(sources: DefinitionSources) {
    this.#sources = sources;
    this.#functions = new FunctionDefinitions(sources);
    this.#types = new TypeDefinitions(sources);
    this.#resourceTypes = new ModuleResourceTypes(sources);
    this.mainUnit = new CodeUnit('class', '', null, '', this);
    this.#classes.set('', this.mainUnit);
  }

  get environmentName(): string {
    return this.#sources.environment.name;
  }

  /**
   * Returns the class whose variables are Puppet's settings. A site manifest may define a class of
   * that name.
   */
  settingsUnit(): CodeUnit {
    const unit = this.#classes.get('settings') ?? new CodeUnit('class', 'settings', null, null, this);
    this.#classes.set('settings', unit);
    return unit;
  }

  /** Adds the site manifest's definitions. The compiler runs its code. */
  addSiteProgram(program: Program): void {
    this.programs.push(program);
    this.#addAll(program.definitions, '');
  }

  findUnit(kind: CodeUnit['kind'], name: string): CodeUnit | null {
    if (kind === 'node') return this.nodes.findByName(name);
    const table = kind === 'class' ? this.#classes : this.#defines;
    return table.get(name) ?? this.#autoload(kind, name);
  }

  findClass(name: string): ClassDefinition | null {
    const unit = this.findUnit('class', definitionName(name));
    return unit?.definition?.kind === 'HostClassDefinition' ? definitionOf(unit, unit.definition) : null;
  }

  findDefine(name: string): DefineDefinition | null {
    const unit = this.findUnit('define', definitionName(name));
    return unit?.definition?.kind === 'ResourceTypeDefinition' ? definitionOf(unit, unit.definition) : null;
  }

  findFunction(name: string, file: string | null = null): PuppetFunction | null {
    return this.#functions.find(name.startsWith('::') ? name.slice(2) : name, file);
  }

  findType(name: string): PType | null {
    return this.#types.find(name);
  }

  findResourceType(name: string): ResourceTypeInfo | null {
    const { language } = this.#sources.context();
    return findBuiltinType(name, language) ?? this.#resourceTypes.find(name) ?? findVendoredType(name, language);
  }

  /** Returns the match variables for the body of a node that a regular expression matched. */
  nodeMatch(unit: CodeUnit): MatchGroups | null {
    return this.nodes.matchOf(unit);
  }

  #autoload(kind: 'class' | 'define', name: string): CodeUnit | null {
    if (name === '' || this.#missing[kind].has(name)) return null;
    const [moduleName = ''] = name.split('::', 1);
    const module = this.#sources.environment.findModule(moduleName);
    if (module) {
      const manifests = `${module.root}/manifests`;
      // The file of the name, then those of the names around it.
      for (let below = name.slice(moduleName.length + 2); ; below = outerName(below)) {
        const own = below === '' ? null : `${pathBelow(manifests, below)}.pp`;
        const found = this.#load(`${manifests}/init.pp`, own, module.name).find(
          (unit) => unit.kind === kind && unit.name === name,
        );
        if (found) return found;
        if (below === '') break;
      }
    }
    this.#missing[kind].add(name);
    return null;
  }

  /**
   * Registers the definitions of a module's init.pp, and of another file, that were not loaded
   * before. Both files are read first: a parameter type in one file may name a definition of
   * another, which must not trigger a second load. Puppet: lib/puppet/parser/type_loader.rb
   * (load_files)
   */
  #load(init: string, own: string | null, moduleName: string): readonly CodeUnit[] {
    const first = this.#readOnce(init);
    const second = own === null ? null : this.#readOnce(own);
    const added = first ? this.#addAll(first.definitions, moduleName) : NO_UNITS;
    return second ? [...added, ...this.#addAll(second.definitions, moduleName)] : added;
  }

  #readOnce(path: string): Program | null {
    if (this.#loaded.has(path)) return null;
    const program = this.#sources.parser.parseFile(path);
    this.#loaded.add(path);
    return program;
  }

  #addAll(definitions: readonly Definition[], moduleName: string): readonly CodeUnit[] {
    const made = definitions.flatMap((definition) => this.#instantiate(definition, moduleName));
    for (const unit of made) this.#addUnit(unit);
    // Types of parameters may name defines of the same file.
    for (const unit of made) this.#resolveTypes(unit);
    return made;
  }

  #resolveTypes(unit: CodeUnit): void {
    const { definition, typedParameters } = unit;
    if (!definition || typedParameters.length === 0) return;
    const find = typeResolver(this.#sources.context().topScope);
    unit.types = typesOfParameters(definition, typedParameters, find, (each, name) => this.#typeOf(each, name));
  }

  #instantiate(definition: Definition, moduleName: string): readonly CodeUnit[] {
    switch (definition.kind) {
      case 'HostClassDefinition':
        return [this.#createUnit('class', definition, moduleName)];
      case 'ResourceTypeDefinition':
        return [this.#createUnit('define', definition, moduleName)];
      case 'NodeDefinition':
        return this.nodes.unitsOf(definition, moduleName, this, this.#sources.context().language);
      case 'FunctionDefinition':
        this.#functions.add(definition);
        return [];
      case 'TypeAlias':
        this.#addType(definition);
        return [];
      default:
        return [];
    }
  }

  #createUnit(
    kind: 'class' | 'define',
    definition: HostClassDefinition | ResourceTypeDefinition,
    moduleName: string,
  ): CodeUnit {
    const unit = new CodeUnit(kind, definitionName(definition.name), definition, moduleName, this);
    checkParameterNames(unit, this.#sources.context());
    return unit;
  }

  #typeOf(expression: Expression, parameter: string): PType {
    const context = this.#sources.context();
    const type = context.evaluator.evaluate(expression, context.topScope);
    if (type instanceof PType) return type;
    throw new PuppetError(ISSUES.PARAMETER_TYPE_IS_NO_TYPE({ parameter, actual: rubyClassName(type) }));
  }

  #addUnit(unit: CodeUnit): void {
    const [kind, table] =
      unit.kind === 'class' ? (['class', this.#classes] as const) : (['define', this.#defines] as const);
    if (unit.kind === 'node') {
      this.nodes.add(unit, this.#classes.get(unit.name));
      return;
    }
    const clash = this.#findClash(kind, unit);
    if (clash) throw toRedefinitionError(clash, unit);
    table.set(unit.name, unit);
  }

  #findClash(kind: 'class' | 'define', unit: CodeUnit): Issue | null {
    const { name } = unit;
    const [sameClass, sameDefine] = [this.#classes.get(name), this.#defines.get(name)];
    if (kind === 'define') {
      if (sameClass) return ISSUES.CLASS_IS_NO_DEFINITION({ name, place: describeContext(sameClass) });
      return sameDefine ? ISSUES.DEFINITION_ALREADY_DEFINED({ name, place: describeContext(sameDefine) }) : null;
    }
    if (sameClass) return ISSUES.CLASS_ALREADY_DEFINED({ name, place: describeContext(sameClass) });
    const node = this.nodes.findByName(name);
    if (node) return ISSUES.NODE_IS_NO_CLASS({ name, place: describeContext(node) });
    return sameDefine ? ISSUES.DEFINITION_IS_NO_CLASS({ name, place: describeContext(sameDefine) }) : null;
  }

  // Puppet: a type must not share its name with another type, a resource type or a define
  // (BaseLoader#set_entry).
  #addType(definition: TypeAlias): void {
    const name = definition.name.toLowerCase();
    const entity = `type/${name}`;
    if (TYPES_BY_NAME.has(name)) throw redefinitionError(entity, 'Originally set by Puppet-Type-System/Static-Loader.');
    if (findBuiltInType(name) || name === 'node' || this.findResourceType(name))
      throw redefinitionError(entity, 'Set at unknown location');
    const earlier = this.#typeOrigins.get(name) ?? this.#defines.get(name)?.definition;
    if (earlier) throw redefinitionError(entity, `Originally set ${originOf(earlier)}.`);
    this.#typeOrigins.set(name, definition);
    this.#types.add(definition);
  }
}

const NO_UNITS: readonly CodeUnit[] = [];

/** The name without its last segment. */
function outerName(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf('::')));
}

function pathBelow(folder: string, name: string): string {
  if (/^\w+$/.test(name)) return `${folder}/${name}`;
  const segments = name.split('::');
  const isPlain = segments.every((segment) => /^\w+$/.test(segment));
  return isPlain ? `${folder}/${segments.join('/')}` : posix.join(folder, ...segments);
}

function definitionOf<N extends HostClassDefinition | ResourceTypeDefinition>(unit: CodeUnit, node: N) {
  return { name: unit.name, node, moduleName: unit.moduleName ?? '' };
}

/** Returns ` at <place>` of the earlier definition, like Puppet's `error_context`. */
function describeContext(unit: CodeUnit): string {
  return unit.definition ? locationSuffix(plainPlace(unit)) : '';
}

function plainPlace(unit: CodeUnit): { readonly file: string | undefined; readonly line: number | undefined } {
  if (!unit.definition) return { file: undefined, line: undefined };
  const { file, line } = placeOf(unit.definition);
  return { file: file || undefined, line };
}

function toRedefinitionError(issue: Issue, unit: CodeUnit): PuppetError {
  return new PuppetError(issue, plainPlace(unit));
}

// Puppet: a parameter named like a metaparameter is an error; with a default it is a warning, which
// has no place (Puppet::Resource::Type#warn_if_metaparam).
function checkParameterNames(unit: CodeUnit, { log }: CompileContext): void {
  for (const { name, defaultValue } of unit.parameters) {
    if (!isMetaparameter(name)) continue;
    if (!defaultValue) {
      throw new PuppetError(ISSUES.PARAMETER_IS_METAPARAMETER({ name, definition: unit.name }));
    }
    const message = `${name} is a metaparam; this value will inherit to all contained resources in the ${unit.name} definition`;
    log.addOnce(message, { level: 'warning', message });
  }
}
