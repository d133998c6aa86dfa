import { rubyEquals } from '../equality.ts';
import { type PType, UNDEF } from '../ptype.ts';
import { PuppetHash } from '../values/puppet-hash.ts';
import type { Value } from '../values/values.ts';

export type AttributeKind = 'constant' | 'derived' | 'given_or_derived' | 'reference';
export type MemberFeature = 'attribute' | 'function' | 'type_parameter';

interface MemberOptions {
  readonly feature: MemberFeature;
  readonly name: string;
  /** The name of the declaring type. */
  readonly container: string;
  readonly type: PType;
  readonly kind?: AttributeKind | null;
  /** The default value; undefined when there is none. */
  readonly value?: Value | undefined;
  readonly isFinal?: boolean;
  readonly overrides?: boolean;
  readonly annotations?: PuppetHash | null;
  /** A constant whose type follows from its value. */
  readonly plainConstant?: boolean;
}

/** An attribute, function or type parameter of an Object type. */
export class ObjectMember {
  readonly feature: MemberFeature;
  readonly name: string;
  readonly container: string;
  readonly type: PType;
  readonly kind: AttributeKind | null;
  readonly value: Value | undefined;
  readonly isFinal: boolean;
  readonly overrides: boolean;
  readonly annotations: PuppetHash | null;
  readonly plainConstant: boolean;

  constructor(options: MemberOptions) {
    this.feature = options.feature;
    this.name = options.name;
    this.container = options.container;
    this.type = options.type;
    this.kind = options.kind ?? null;
    this.value = options.value;
    this.isFinal = options.isFinal ?? this.kind === 'constant';
    this.overrides = options.overrides ?? false;
    this.annotations = options.annotations ?? null;
    this.plainConstant = options.plainConstant ?? false;
  }

  get label(): string {
    return `${this.feature} ${this.container}[${this.name}]`;
  }

  get isConstant(): boolean {
    return this.kind === 'constant';
  }

  /** Whether it is an argument of the constructor. */
  get isGiven(): boolean {
    return this.kind !== 'constant' && this.kind !== 'derived';
  }

  /** Whether the constructor's argument is optional. */
  get isOptional(): boolean {
    return this.value !== undefined || this.type.isAssignable(UNDEF);
  }

  isDefault(value: Value): boolean {
    return this.value !== undefined && rubyEquals(this.value, value);
  }

  /**
   * The member as a type definition has it: its type, or a hash when there are other properties.
   */
  toDefinition(): PType | PuppetHash {
    const isParameter = this.feature === 'type_parameter';
    const type = isParameter && 'type' in this.type ? (this.type.type as PType) : this.type;
    const hash = new PuppetHash().set('type', type);
    if (this.isFinal && !this.isConstant) hash.set('final', true);
    if (this.overrides) hash.set('override', true);
    if (this.annotations !== null) hash.set('annotations', this.annotations);
    if (this.kind !== null) hash.set('kind', this.kind);
    if (this.value !== undefined && !(isParameter && this.value === null)) hash.set('value', this.value);
    return hash.size === 1 ? type : hash;
  }
}
