import type { Value } from '../types/values.ts';
import type { DeclaringUnit } from './declaring-unit.ts';
import { TagSet } from './tags.ts';

/** One parameter of a resource, with where it was set and by whom (`Puppet::Parser::Resource::Param`). */
export interface ParameterSetting {
  readonly name: string;
  readonly value: Value;
  readonly unit: DeclaringUnit | null;
  /** Set with `+>`. */
  readonly append: boolean;
  readonly file: string | undefined;
  readonly line: number | undefined;
}

export type ResourceKind = 'class' | 'defined_type' | 'compilable_type' | 'unknown';

/** The scope that a resource was declared in, as far as the catalog needs to know it. */
export interface DeclaringScope {
  readonly resource: CatalogResource | null;
}

export interface ResourceOptions {
  readonly type: string;
  readonly title: string;
  readonly kind: ResourceKind;
  readonly scope: DeclaringScope;
  readonly unit: DeclaringUnit | null;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly virtual?: boolean;
  readonly exported?: boolean;
}

/** A resource of the catalog that is being built. `type` is capitalised (`Foo::Bar`); the main class has the title `main`. */
export class CatalogResource {
  readonly type: string;
  readonly title: string;
  readonly kind: ResourceKind;
  readonly scope: DeclaringScope;
  readonly unit: DeclaringUnit | null;
  readonly file: string | undefined;
  readonly line: number | undefined;
  virtual: boolean;
  exported: boolean;
  /** Whether the code behind it (class, define) was evaluated. */
  evaluated = false;
  finished = false;
  /** Identifies where a collected export came from. */
  collectorId: string | undefined;
  readonly parameters = new Map<string, ParameterSetting>();
  readonly sensitiveParameters: string[] = [];
  readonly tags = new TagSet();

  constructor(options: ResourceOptions) {
    this.type = options.type;
    this.title = options.title;
    this.kind = options.kind;
    this.scope = options.scope;
    this.unit = options.unit;
    this.file = options.file;
    this.line = options.line;
    this.exported = options.exported ?? false;
    this.virtual = (options.virtual ?? false) || this.exported;
  }

  get reference(): string {
    return `${this.type}[${this.title}]`;
  }

  get isClass(): boolean {
    return this.type === 'Class';
  }

  get isStage(): boolean {
    return this.type === 'Stage';
  }

  /** The value of a parameter; undefined when it is not set (undef, once set, is null). */
  valueOf(name: string): Value | undefined {
    return name === 'title' ? this.title : this.parameters.get(name)?.value;
  }

  /** Sets or replaces a parameter; `tag` also tags the resource. */
  set(parameter: ParameterSetting): void {
    if (parameter.name === 'tag') this.tags.add(parameter.value);
    this.parameters.set(parameter.name, parameter);
  }

  /** Sets a parameter on behalf of the resource's own unit, at no place of the source. */
  setValue(name: string, value: Value): void {
    this.set({ name, value, unit: this.unit, append: false, file: undefined, line: undefined });
  }

  /** Whether it, or what contains it, has one of these (lower case) tags. */
  hasAnyTag(tags: readonly string[]): boolean {
    if (tags.some((tag) => this.tags.has(tag))) return true;
    const container = this.scope.resource;
    return container !== null && container !== this && container.hasAnyTag(tags);
  }

  toString(): string {
    return this.reference;
  }
}
