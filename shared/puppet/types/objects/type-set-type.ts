import { PType } from '../ptype.ts';
import { PuppetHash } from '../values/puppet-hash.ts';
import type { Value } from '../values/values.ts';
import { SemVer } from '../versions/sem-ver.ts';
import type { SemVerRange } from '../versions/sem-ver-range.ts';

export interface TypeSetReference {
  readonly name: string;
  readonly nameAuthority: string | null;
  readonly versionRange: SemVerRange;
  readonly typeSet: () => TypeSetType;
}

export interface TypeSetDefinition {
  readonly name: string | null;
  readonly nameAuthority: string | null;
  readonly pcoreUri: string | null;
  readonly pcoreVersion: SemVer;
  readonly version: SemVer | null;
  /** The types by simple name. */
  readonly types: ReadonlyMap<string, PType>;
  readonly references: ReadonlyMap<string, TypeSetReference>;
}

/** A named and versioned set of types. Follows lib/puppet/pops/types/p_type_set_type.rb. */
export class TypeSetType extends PType {
  readonly kind = 'TypeSet';
  readonly #givenName: string | null;
  readonly #define: ((set: TypeSetType) => TypeSetDefinition) | null;
  #definition: TypeSetDefinition | undefined;

  constructor(name: string | null = null, define: ((set: TypeSetType) => TypeSetDefinition) | null = null) {
    super();
    this.#givenName = name;
    this.#define = define;
  }

  /**
   * The definition; null for the TypeSet type itself. Throws PuppetError when the definition is
   * wrong.
   */
  get definition(): TypeSetDefinition | null {
    this.#definition ??= this.#define?.(this);
    return this.#definition ?? null;
  }

  override get name(): string {
    return this.#givenName ?? this.definition?.name ?? 'DefaultTypeSet';
  }

  isInstance(value: Value): boolean {
    return value instanceof TypeSetType;
  }

  protected accepts(other: PType): boolean {
    return other instanceof TypeSetType && (this === TYPE_SET || this.equals(other));
  }

  /**
   * Finds a type of the set by its name, case-insensitively. `Alias::Name` finds a type of a
   * referenced set.
   */
  find(name: string): PType | null {
    const [first = '', ...rest] = name.split('::');
    const lower = name.toLowerCase();
    for (const [key, type] of this.definition?.types ?? []) if (key.toLowerCase() === lower) return type;
    for (const [alias, reference] of this.definition?.references ?? []) {
      if (alias.toLowerCase() !== first.toLowerCase()) continue;
      return rest.length === 0 ? reference.typeSet() : reference.typeSet().find(rest.join('::'));
    }
    return null;
  }

  definesType(type: PType): boolean {
    return (
      this.nameFor(type) !== null && [...(this.definition?.types.values() ?? [])].some((item) => item.equals(type))
    );
  }

  /** The name by which types of the set refer to `type`; null when there is none. */
  nameFor(type: PType): string | null {
    for (const [name, item] of this.definition?.types ?? []) if (item.equals(type)) return name;
    for (const [alias, reference] of this.definition?.references ?? []) {
      const name = reference.typeSet().nameFor(type);
      if (name !== null) return `${alias}::${name}`;
    }
    return null;
  }

  toInitHash(): PuppetHash {
    const definition = this.definition;
    const hash = new PuppetHash();
    if (definition?.pcoreUri) hash.set('pcore_uri', definition.pcoreUri);
    hash.set('pcore_version', definition?.pcoreVersion.toString() ?? '');
    if (definition?.nameAuthority) hash.set('name_authority', definition.nameAuthority);
    hash.set('name', this.name);
    if (definition?.version) hash.set('version', definition.version.toString());
    if (definition && definition.types.size > 0) hash.set('types', PuppetHash.of(definition.types));
    if (definition && definition.references.size > 0) hash.set('references', referencesHash(definition));
    return hash;
  }

  protected override parametersKey(): string {
    return `[${this.name},${this.definition?.version ?? ''},${this.definition?.nameAuthority ?? ''}]`;
  }
}

function referencesHash(definition: TypeSetDefinition): PuppetHash {
  const entries = [...definition.references].map(([alias, reference]) => {
    const hash = new PuppetHash();
    if (reference.nameAuthority !== definition.nameAuthority) hash.set('name_authority', reference.nameAuthority);
    hash.set('name', reference.name).set('version_range', reference.versionRange.toString());
    return [alias, hash] as const;
  });
  return PuppetHash.of(entries);
}

export const TYPE_SET = new TypeSetType('DefaultTypeSet', () => ({
  name: null,
  nameAuthority: 'http://puppet.com/2016.1/runtime',
  pcoreUri: 'http://puppet.com/2016.1/pcore',
  pcoreVersion: new SemVer(1, 0, 0),
  version: new SemVer(0, 0, 0),
  types: new Map(),
  references: new Map(),
}));
