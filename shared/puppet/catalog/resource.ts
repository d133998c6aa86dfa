import { isArray } from '../types/values/value-kinds.ts';
import type { Value } from '../types/values/values.ts';
import { ParameterTable } from './parameter-table.ts';
import { TagSet } from './tags.ts';

/**
 * The class, node or define whose code declared something (Puppet's `source`, a
 * `Puppet::Resource::Type`). One object per definition and compile: units are compared by identity.
 */
export interface DeclaringUnit {
  readonly kind: 'class' | 'define' | 'node';
  /** In lower case, without a leading `::`; '' for the main class. */
  readonly name: string;
  /** The module; null for code of the site manifest. */
  readonly moduleName: string | null;
  /**
   * Whether this unit inherits from `other`, directly or indirectly, or overrides through a
   * collector.
   */
  isChildOf(other: DeclaringUnit | null): boolean;
}

/**
 * One parameter of a resource, with its place and the unit that set it
 * (`Puppet::Parser::Resource::Param`).
 */
export interface ParameterSetting {
  readonly name: string;
  readonly value: Value;
  readonly unit: DeclaringUnit | null;
  /** Whether it was set with `+>`. */
  readonly append: boolean;
  readonly file: string | undefined;
  readonly line: number | undefined;
}

export type ResourceKind = 'class' | 'defined_type' | 'compilable_type' | 'unknown';

export interface CatalogResourceOptions {
  /** Capitalised: `File`, `Foo::Bar`, `Class`. */
  readonly type: string;
  /** The title; `main` for the main class and the main stage. */
  readonly title: string;
  /** The title as code gave it, when that is not a string (a key of `create_resources`). */
  readonly givenTitle?: Value | undefined;
  readonly kind: ResourceKind;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly virtual?: boolean | undefined;
  readonly exported?: boolean | undefined;
}

/** A resource of a catalog. */
export class CatalogResource {
  readonly type: string;
  readonly title: string;
  /** The value of `$title` and `$name`: the title, or the value that code gave as title. */
  readonly givenTitle: Value;
  readonly kind: ResourceKind;
  /** Names of the attributes that identify the resource. */
  readonly namevars: readonly string[];
  file: string | undefined;
  line: number | undefined;
  virtual: boolean;
  exported: boolean;
  /** Its index among the resources of its catalog; -1 when it is in none. */
  place = -1;
  readonly parameters = new ParameterTable();
  readonly sensitiveParameters: string[] = [];
  readonly tags = new TagSet();
  #reference: string | undefined;

  constructor(options: CatalogResourceOptions, namevars: readonly string[]) {
    this.type = options.type;
    this.title = options.title;
    this.givenTitle = options.givenTitle ?? options.title;
    this.kind = options.kind;
    this.namevars = namevars;
    this.file = options.file;
    this.line = options.line;
    this.exported = options.exported ?? false;
    this.virtual = (options.virtual ?? false) || this.exported;
  }

  /** `Type[title]` */
  get reference(): string {
    this.#reference ??= `${this.type}[${this.title}]`;
    return this.#reference;
  }

  get isClass(): boolean {
    return this.type === 'Class';
  }

  get isStage(): boolean {
    return this.type === 'Stage';
  }

  /** The value of a parameter; undefined when it is not set, null when it was set to undef. */
  valueOf(name: string): Value | undefined {
    return name === 'title' ? this.givenTitle : this.parameters.get(name)?.value;
  }

  /** Sets or replaces a parameter. Setting `tag` also tags the resource. */
  set(parameter: ParameterSetting): void {
    if (parameter.name === 'tag') this.tag(parameter.value);
    this.parameters.set(parameter);
  }

  /** Adds tags. Throws, with the resource's place, when one is not a valid tag. */
  tag(value: Value): void {
    this.tags.add(value, { file: this.file || undefined, line: this.line });
  }

  /**
   * The parts of the title by attribute, in a new Map that the caller may change. Types with title
   * patterns override this method.
   */
  titleParts(): Map<string, string | null> {
    return new Map([[this.#findNamevar(), this.title]]);
  }

  /** The parts of the title, overlaid with all parameters that have a value. */
  getAttributes(): Map<string, Value> {
    const all: Map<string, Value> = this.titleParts();
    for (const { name, value } of this.parameters.all) {
      if (value !== null) all.set(name, RELATIONSHIPS.has(name) ? withoutNesting(value) : value);
    }
    return all;
  }

  /**
   * The parameters as a catalog shows them. Names are in lower case; of names that are then equal,
   * the last one counts. `name` appears under the name of the namevar, and the namevar is left out
   * when it equals the title. Puppet: the copy constructor of Resource sets each parameter anew.
   */
  catalogParameters(): Map<string, Value> {
    const namevar = this.#findNamevar();
    const shown = this.#attributesByNamevar(namevar);
    if (shown.get(namevar) === this.givenTitle && !this.#isMain()) shown.delete(namevar);
    return shown;
  }

  /** Calls `visit` with each parameter as a catalog shows it. */
  forEachCatalogParameter(visit: (value: Value, name: string) => void): void {
    if (this.#showsWhatIsSet()) {
      for (const { name, value } of this.parameters.all) {
        if (value !== null) visit(RELATIONSHIPS.has(name) ? withoutNesting(value) : value, name);
      }
    } else this.catalogParameters().forEach(visit);
  }

  /** Whether every title is the value of the namevar, without title patterns. */
  protected get hasPlainTitle(): boolean {
    return true;
  }

  /** Whether no parameter can repeat the title. The parameters are then shown as they were set. */
  #showsWhatIsSet(): boolean {
    const { parameters, title, givenTitle } = this;
    if (!this.hasPlainTitle || title !== givenTitle || this.#isMain() || parameters.hasUpperCase) return false;
    return !parameters.has('name') && !parameters.has(this.#findNamevar());
  }

  toString(): string {
    return this.reference;
  }

  #attributesByNamevar(namevar: string): Map<string, Value> {
    const attributes = this.getAttributes();
    const isShownAsSet = namevar === 'name' || !attributes.has('name');
    if (isShownAsSet && !this.parameters.hasUpperCase) return attributes;
    const shown = new Map<string, Value>();
    for (const [name, value] of attributes) {
      const lower = name.toLowerCase();
      shown.set(lower === 'name' ? namevar : lower, value);
    }
    return shown;
  }

  #findNamevar(): string {
    return this.namevars.length === 1 ? (this.namevars[0] ?? 'name') : 'name';
  }

  // Puppet: the title of Class[main] and Stage[main] is a symbol, which is never equal to a name
  // (lib/puppet/resource.rb, to_data_hash).
  #isMain(): boolean {
    return this.title === 'main' && (this.isClass || this.isStage);
  }
}

/** Metaparameters whose values refer to other resources. */
const RELATIONSHIPS: ReadonlySet<string> = new Set(['before', 'subscribe', 'notify', 'require']);

/** Flattens a list and removes undef from it; returns other values unchanged. */
function withoutNesting(value: Value): Value {
  if (!isArray(value) || !value.some((item) => item === null || Array.isArray(item))) return value;
  return flatten(value).filter((item) => item !== null);
}

function flatten(list: readonly Value[]): readonly Value[] {
  if (!list.some(Array.isArray)) return list;
  return list.flatMap((item) => (Array.isArray(item) ? flatten(item) : [item]));
}
