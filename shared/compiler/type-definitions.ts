import { posix } from 'node:path';
import { PuppetError } from '../errors/puppet-error.ts';
import type { Definition, Program, TypeAlias } from '../language/ast.ts';
import { PType } from '../types/ptype.ts';
import { TypeAliasType } from '../types/reference-types.ts';
import type { DefinitionSources } from './definitions.ts';

/** Types that have a name: aliases, Object types and TypeSets of the site manifest, of modules' and the environment's `types`. */
export class TypeDefinitions {
  readonly #sources: DefinitionSources;
  /** By lower case name; null for a name that was looked for in vain. */
  readonly #types = new Map<string, PType | null>();

  constructor(sources: DefinitionSources) {
    this.#sources = sources;
  }

  add(definition: TypeAlias): void {
    this.#types.set(definition.name.toLowerCase(), this.#make(definition));
  }

  find(name: string): PType | null {
    const plain = (name.startsWith('::') ? name.slice(2) : name).toLowerCase();
    const known = this.#types.get(plain);
    if (known !== undefined) return known;
    const loaded = this.#load(plain);
    this.#types.set(plain, loaded);
    return loaded;
  }

  #load(name: string): PType | null {
    const path = this.#path(name);
    const program = path === null ? null : this.#sources.parser.parseFile(path);
    return path !== null && program ? this.#make(onlyType(program, name, path)) : null;
  }

  #path(name: string): string | null {
    const { environment } = this.#sources;
    const [first = '', ...rest] = name.split('::');
    if (rest.length === 0) {
      const own = environment.module(first);
      if (own) return posix.join(own.root, 'types', 'init_typeset.pp');
      return posix.join(environment.root, 'types', `${first}.pp`);
    }
    if (first === 'environment') return posix.join(environment.root, 'types', first, `${rest.join('/')}.pp`);
    const module = environment.module(first);
    return module && posix.join(module.root, 'types', `${rest.join('/')}.pp`);
  }

  #make({ name, typeExpr }: TypeAlias): PType {
    return new TypeAliasType(name, () => {
      const { evaluator, topScope } = this.#sources.context();
      const type = typeExpr && evaluator.evaluate(typeExpr, topScope);
      if (type instanceof PType) return type;
      throw new PuppetError(`Type alias '${name}' cannot be resolved to a real type`);
    });
  }
}

function onlyType(program: Program, name: string, path: string): TypeAlias {
  const from = `The code loaded from ${path}`;
  const [definition, second]: readonly (Definition | undefined)[] = program.definitions;
  if (!definition) throw new PuppetError(`${from} does not define the type '${name}' - it is empty.`);
  if (second) throw new PuppetError(`${from} must contain only the type '${name}' - it has additional definitions.`);
  if (definition.kind !== 'TypeAlias') {
    throw new PuppetError(`${from} does not define the type '${name}' - no type alias or type definition found.`);
  }
  if (definition.name.toLowerCase() !== name) {
    const actual = definition.name;
    throw new PuppetError(`${from} produced type with the wrong name, expected '${name}', actual '${actual}'`);
  }
  if (program.body !== definition) {
    throw new PuppetError(`${from} contains additional logic - can only contain the type '${name}'`);
  }
  return definition;
}
