import { posix } from 'node:path';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { typeResolver } from '../evaluator/type-references.ts';
import type { Definition, Program, TypeAlias } from '../language/ast.ts';
import { findDataTypeFile } from '../ruby/ruby-sources.ts';
import { ObjectType } from '../types/objects/object-type.ts';
import { TASK } from '../types/objects/standard-objects.ts';
import { TypeSetType } from '../types/objects/type-set-type.ts';
import type { PType } from '../types/ptype.ts';
import { TypeAliasType } from '../types/reference-types.ts';
import type { TypeResolver } from '../types/type-parser.ts';
import type { DefinitionSources } from './definitions.ts';
import { createNamedType } from './named-type.ts';
import { cacheAlias, findKnownAlias } from './resource-types/constant-types.ts';
import { RubyDataType } from './ruby-data-type.ts';

/**
 * Named types: aliases, Object types and TypeSets from the site manifest and from the `types`
 * folders of modules and the environment.
 */
export class TypeDefinitions {
  readonly #sources: DefinitionSources;
  /** By lower case name; null for a name that was not found. */
  readonly #types = new Map<string, PType | null>();
  readonly #resolving = new Set<PType>();
  readonly #resolved = new Set<PType>();
  /** Aliases from files that are not resolved yet. */
  readonly #definitions = new Map<PType, TypeAlias>();
  /**
   * TypeSets of the site manifest that no code has named yet. Puppet: a set's types cannot be found
   * before it is resolved.
   */
  readonly #unnamedSets = new Set<PType>();

  constructor(sources: DefinitionSources) {
    this.#sources = sources;
  }

  add(definition: TypeAlias): void {
    const type = this.#make(definition);
    this.#types.set(definition.name.toLowerCase(), type);
    if (type instanceof TypeSetType) this.#unnamedSets.add(type);
  }

  /** Finds a type and resolves it, unless its resolution is in progress. */
  find(name: string): PType | null {
    const plain = (name.startsWith('::') ? name.slice(2) : name).toLowerCase();
    const type = this.#findNamed(plain) ?? this.#inTypeSet(plain);
    if (type && !this.#resolved.has(type) && !this.#resolving.has(type)) this.#resolve(type);
    return type;
  }

  #findNamed(name: string): PType | null {
    const known = this.#types.get(name);
    if (known !== undefined) return known;
    const loaded = this.#load(name);
    this.#types.set(name, loaded);
    return loaded;
  }

  /** Finds `Set::Name` in the sets that the name may belong to, innermost first. */
  #inTypeSet(name: string): PType | null {
    const parts = name.split('::');
    for (let depth = parts.length - 1; depth > 0; depth -= 1) {
      const set = this.#findNamed(parts.slice(0, depth).join('::'));
      if (!(set instanceof TypeSetType)) continue;
      return this.#unnamedSets.has(set) ? null : set.find(parts.slice(depth).join('::'));
    }
    return null;
  }

  #resolve(type: PType): void {
    if (!(type instanceof TypeAliasType || type instanceof ObjectType || type instanceof TypeSetType)) return;
    this.#unnamedSets.delete(type);
    this.#resolving.add(type);
    try {
      settle(type);
    } finally {
      this.#resolving.delete(type);
    }
    this.#resolved.add(type);
    const definition = this.#definitions.get(type);
    if (!definition || !(type instanceof TypeAliasType)) return;
    this.#definitions.delete(type);
    cacheAlias(definition, type, this.#createResolver());
  }

  #load(name: string): PType | null {
    if (name === 'task' && this.#sources.context().settings.tasks) return TASK;
    const inRuby = this.#inRuby(name);
    if (inRuby) return inRuby;
    const path = this.#findPath(name);
    const program = path === null ? null : this.#sources.parser.parseFile(path);
    if (path === null || !program) return null;
    const definition = requireOnlyType(program, name, path);
    return findKnownAlias(definition, this.#createResolver()) ?? this.#makeCached(definition);
  }

  #makeCached(definition: TypeAlias): PType {
    const type = this.#make(definition);
    if (type instanceof TypeAliasType) this.#definitions.set(type, definition);
    return type;
  }

  #inRuby(name: string): PType | null {
    const context = this.#sources.context();
    const source = findDataTypeFile(context.environment, name);
    const { ruby } = context;
    return source && ruby && new RubyDataType(ruby, context, name, source).type;
  }

  #findPath(name: string): string | null {
    const { environment } = this.#sources;
    const [first = '', ...rest] = name.split('::');
    if (rest.length === 0) {
      const own = environment.findModule(first);
      if (own) return posix.join(own.root, 'types', 'init_typeset.pp');
      return posix.join(environment.root, 'types', `${first}.pp`);
    }
    if (first === 'environment') return posix.join(environment.root, 'types', first, `${rest.join('/')}.pp`);
    const module = environment.findModule(first);
    if (!module) return null;
    const file = `${rest.join('/')}.pp`;
    // Equals `join` for a root that `join` made, and for names without dots.
    return /^[\w/]+\.pp$/.test(file) && !file.includes('//')
      ? `${module.root}/types/${file}`
      : posix.join(module.root, 'types', file);
  }

  #make({ name, typeExpr }: TypeAlias): PType {
    if (typeExpr === null) throw new PuppetError(ISSUES.TYPE_ALIAS_UNRESOLVABLE({ name }));
    return createNamedType(name, typeExpr, this.#createResolver());
  }

  #createResolver(): TypeResolver {
    return (wanted) => typeResolver(this.#sources.context().topScope)(wanted);
  }
}

/** Resolves a type; for a set, resolves its types. */
function settle(type: PType): void {
  if (type instanceof TypeAliasType) void type.resolvedType;
  if (type instanceof ObjectType) void type.definition;
  if (type instanceof TypeSetType) for (const each of type.definition?.types.values() ?? []) settle(each);
}

function requireOnlyType(program: Program, name: string, path: string): TypeAlias {
  const from = `The code loaded from ${path}`;
  const [definition, second]: readonly (Definition | undefined)[] = program.definitions;
  if (!definition) throw new PuppetError(ISSUES.TYPE_FILE_EMPTY({ from, name }));
  if (second) throw new PuppetError(ISSUES.TYPE_FILE_WITH_MORE({ from, name }));
  if (definition.kind !== 'TypeAlias') {
    throw new PuppetError(ISSUES.TYPE_FILE_WITHOUT_TYPE({ from, name }));
  }
  if (definition.name.toLowerCase() !== name) {
    const actual = definition.name;
    throw new PuppetError(ISSUES.TYPE_WITH_WRONG_NAME({ from, name, actual }));
  }
  if (program.body !== definition) {
    throw new PuppetError(ISSUES.TYPE_FILE_WITH_LOGIC({ from, name }));
  }
  return definition;
}
