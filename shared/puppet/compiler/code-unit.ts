import type { DeclaringUnit } from '../catalog/resource.ts';
import { definitionName } from '../catalog/type-name.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type {
  Expression,
  HostClassDefinition,
  NodeDefinition,
  Parameter,
  Positioned,
  ResourceTypeDefinition,
} from '../language/ast.ts';
import type { PType } from '../types/ptype.ts';
import { isMetaparameter } from './resource-types/builtin-types.ts';

const NO_TYPES: ReadonlyMap<string, PType> = new Map();

type UnitNode = HostClassDefinition | ResourceTypeDefinition | NodeDefinition;

/** Finds the unit that a unit inherits from. */
export interface UnitFinder {
  findUnit(kind: CodeUnit['kind'], name: string): CodeUnit | null;
  readonly environmentName: string;
}

/** A parameter with a type. */
export interface TypedParameter {
  readonly name: string;
  readonly typeExpression: Expression;
}

/** A parameter of a class or define. */
export interface UnitParameter {
  readonly name: string;
  readonly defaultValue: Expression | null;
  readonly typeExpression: Expression | null;
  readonly declaredAt: Positioned;
}

/**
 * A class, define or node of one compile: its code, and the properties of Puppet's
 * `Puppet::Resource::Type`.
 */
export class CodeUnit implements DeclaringUnit {
  readonly kind: 'class' | 'define' | 'node';
  readonly name: string;
  readonly moduleName: string | null;
  /** Null for the main class and for `settings`, which have no definition. */
  readonly definition: UnitNode | null;
  readonly parameters: readonly UnitParameter[];
  readonly typedParameters: readonly TypedParameter[];
  /** Name of the inherited class as Puppet stores it (`::a`), or null. */
  readonly parentReference: string | null;
  /**
   * Set by collectors with overrides; the unit may then override any resource. Puppet:
   * AbstractCollector#evaluate.
   */
  overriding = false;
  /** The types of the typed parameters. */
  types: ReadonlyMap<string, PType> = NO_TYPES;
  readonly #finder: UnitFinder;
  readonly #parameterNames: ReadonlySet<string>;
  #parent: CodeUnit | undefined;

  constructor(
    kind: CodeUnit['kind'],
    name: string,
    definition: UnitNode | null,
    moduleName: string | null,
    finder: UnitFinder,
  ) {
    this.kind = kind;
    this.name = name;
    this.definition = definition;
    this.moduleName = moduleName;
    this.#finder = finder;
    const { parameters, typed, names } = parametersOf(definition);
    this.parameters = parameters;
    this.typedParameters = typed;
    this.#parameterNames = names;
    const parent = definition?.kind === 'HostClassDefinition' ? definition.parentClass : null;
    this.parentReference = parent ? (parent.startsWith('::') ? parent : `::${parent}`) : null;
  }

  get body(): Expression | null {
    return this.definition?.body ?? null;
  }

  /** Name of the inherited class, lower case, without leading `::`; null when there is none. */
  get parentName(): string | null {
    return this.parentReference === null ? null : definitionName(this.parentReference);
  }

  /** Returns the inherited unit; null when there is none. Throws when the unit does not exist. */
  getParent(): CodeUnit | null {
    if (this.parentReference === null) return null;
    this.#parent ??= this.#finder.findUnit(this.kind, definitionName(this.parentReference)) ?? undefined;
    if (this.#parent) return this.#parent;
    const kind = this.kind === 'class' ? 'hostclass' : this.kind;
    throw new PuppetError(
      ISSUES.PARENT_NOT_FOUND({ parent: this.parentReference, kind, environment: this.#finder.environmentName }),
      this.definition ? { ...placeOf(this.definition) } : {},
    );
  }

  isChildOf(other: DeclaringUnit | null): boolean {
    if (this.overriding) return true;
    const parent = this.getParent();
    return parent !== null && (parent === other || parent.isChildOf(other));
  }

  hasParameter(name: string): boolean {
    return this.#parameterNames.has(name);
  }

  /** Whether resources of the unit accept a parameter of that name. */
  acceptsParameter(name: string): boolean {
    return name === 'name' || isMetaparameter(name) || this.hasParameter(name);
  }

  /** Returns a parameter's type; null for an untyped parameter. */
  typeOf(parameter: UnitParameter): PType | null {
    return this.types.get(parameter.name) ?? null;
  }
}

interface UnitParameters {
  readonly parameters: readonly UnitParameter[];
  readonly typed: readonly TypedParameter[];
  readonly names: ReadonlySet<string>;
}

const NO_PARAMETERS: UnitParameters = { parameters: [], typed: [], names: new Set() };

/**
 * By definition. Entries live as long as the parsed manifest and serve all compiles of a process.
 */
const parametersByDefinition = new WeakMap<UnitNode, UnitParameters>();

function parametersOf(definition: UnitNode | null): UnitParameters {
  if (!definition || definition.kind === 'NodeDefinition') return NO_PARAMETERS;
  const known = parametersByDefinition.get(definition);
  if (known) return known;
  const parameters = definition.parameters.map(unitParameter);
  const typed = parameters.flatMap(({ name, typeExpression }) => (typeExpression ? [{ name, typeExpression }] : []));
  const made = { parameters, typed, names: new Set(parameters.map(({ name }) => name)) };
  parametersByDefinition.set(definition, made);
  return made;
}

function unitParameter(parameter: Parameter): UnitParameter {
  return {
    name: parameter.name,
    defaultValue: parameter.value,
    typeExpression: parameter.typeExpr,
    declaredAt: parameter,
  };
}

/** Returns the file and line of an AST node, as resources and plain errors name them. */
export function placeOf(node: Positioned): { readonly file: string; readonly line: number } {
  return { file: node.locator.file ?? '', line: node.locator.lineAt(node.offset) };
}
