import { defineObject } from '../../puppet/types/objects/object-definition.ts';
import {
  type Instantiation,
  type ModelInitializer,
  NO_MEMBERS,
  ObjectType,
} from '../../puppet/types/objects/object-type.ts';
import type { PType } from '../../puppet/types/ptype.ts';
import { TypeAliasType } from '../../puppet/types/reference-types.ts';
import { parseType, type TypeResolver } from '../../puppet/types/type-parser.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';

/** Members of a type, with the texts of their types. */
interface TypeShape {
  readonly attributes: Readonly<Record<string, string>>;
  readonly functions: Readonly<Record<string, string>>;
}

const RESULT = 'Variant[Result, ApplyResult]';
const SLICE = `Optional[Variant[Result, ApplyResult, Array[${RESULT}]]]`;

/** Follows bolt-modules/boltlib/lib/puppet/datatypes. */
const SHAPES = {
  Target: {
    attributes: {
      uri: 'Optional[String[1]]',
      name: 'Optional[String[1]]',
      safe_name: 'Optional[String[1]]',
      target_alias: 'Optional[Variant[String[1], Array[String[1]]]]',
      config: 'Optional[Hash[String[1], Data]]',
      vars: 'Optional[Hash[String[1], Data]]',
      facts: 'Optional[Hash[String[1], Data]]',
      features: 'Optional[Array[String[1]]]',
      plugin_hooks: 'Optional[Hash[String[1], Data]]',
      resources: 'Optional[Hash[String[1], ResourceInstance]]',
    },
    functions: {
      host: 'Callable[[], Optional[String]]',
      password: 'Callable[[], Optional[String[1]]]',
      port: 'Callable[[], Optional[Integer]]',
      protocol: 'Callable[[], Optional[String[1]]]',
      transport: 'Callable[[], String[1]]',
      transport_config: 'Callable[[], Hash[String[1], Data]]',
      user: 'Callable[[], Optional[String[1]]]',
    },
  },
  Result: {
    attributes: { value: 'Hash[String[1], Data]', target: 'Target' },
    functions: {
      error: 'Callable[[], Optional[Error]]',
      message: 'Callable[[], Optional[String]]',
      sensitive: 'Callable[[], Optional[Sensitive[Data]]]',
      action: 'Callable[[], String]',
      status: 'Callable[[], String]',
      to_data: 'Callable[[], Hash]',
      ok: 'Callable[[], Boolean]',
      '[]': 'Callable[[String[1]], Variant[Data, Sensitive[Data]]]',
    },
  },
  ApplyResult: {
    attributes: {
      report: 'Hash[String[1], Data]',
      target: 'Target',
      error: 'Optional[Error]',
      catalog: 'Optional[Hash]',
    },
    functions: {
      ok: 'Callable[[], Boolean]',
      message: 'Callable[[], Optional[String]]',
      action: 'Callable[[], String]',
      to_data: 'Callable[[], Hash]',
      value: 'Callable[[], Hash]',
    },
  },
  ResultSet: {
    attributes: { results: `Array[${RESULT}]` },
    functions: {
      count: 'Callable[[], Integer]',
      empty: 'Callable[[], Boolean]',
      error_set: 'Callable[[], ResultSet]',
      filter_set: 'Callable[[Callable], ResultSet]',
      find: `Callable[[String[1]], Optional[${RESULT}]]`,
      first: `Callable[[], Optional[${RESULT}]]`,
      names: 'Callable[[], Array[String[1]]]',
      ok: 'Callable[[], Boolean]',
      ok_set: 'Callable[[], ResultSet]',
      targets: 'Callable[[], Array[Target]]',
      to_data: 'Callable[[], Array[Hash]]',
      '[]': `Variant[Callable[[Integer], ${SLICE}], Callable[[Integer, Integer], ${SLICE}]]`,
    },
  },
  ResourceInstance: {
    attributes: {
      target: 'Target',
      type: 'Variant[String[1], Type[Resource]]',
      title: 'String[1]',
      state: 'Optional[Hash[String[1], Data]]',
      desired_state: 'Optional[Hash[String[1], Data]]',
      events: 'Optional[Array[Hash[String[1], Data]]]',
    },
    functions: {
      add_event: 'Callable[[Hash[String[1], Data]], Array[Hash[String[1], Data]]]',
      set_state: 'Callable[[Hash[String[1], Data]], Hash[String[1], Data]]',
      overwrite_state: 'Callable[[Hash[String[1], Data]], Hash[String[1], Data]]',
      set_desired_state: 'Callable[[Hash[String[1], Data]], Hash[String[1], Data]]',
      overwrite_desired_state: 'Callable[[Hash[String[1], Data]], Hash[String[1], Data]]',
      reference: 'Callable[[], String]',
      '[]': 'Callable[[String[1]], Data]',
    },
  },
  ContainerResult: { attributes: { value: 'Hash[String[1], Data]' }, functions: {} },
  Future: { attributes: {}, functions: { state: "Callable[[], Enum['running', 'done', 'error']]" } },
} as const satisfies Readonly<Record<string, TypeShape>>;

type PlanTypeName = keyof typeof SHAPES;

const TARGET_SPEC = 'Variant[String[1], Target, Array[Boltlib::TargetSpec]]';
const PLAN_RESULT =
  'Variant[Boolean, Numeric, String, Undef, Error, Result, ApplyResult, ResultSet, Target, ' +
  'ResourceInstance, ContainerResult, Future, Array[Boltlib::PlanResult], Hash[String, Boltlib::PlanResult]]';

/** The types that only plans know. Each run of a plan has its own. */
export class PlanTypes {
  readonly #types = new Map<string, PType>();
  readonly #objects: ReadonlyMap<PlanTypeName, ObjectType>;
  /** Finds a type by its name, for the parser of type texts. */
  readonly resolve: TypeResolver = (name) => this.find(name);

  constructor(
    initializers: Readonly<Partial<Record<PlanTypeName, ModelInitializer>>>,
    instantiations: Readonly<Partial<Record<PlanTypeName, Instantiation>>>,
  ) {
    const names = Object.keys(SHAPES) as PlanTypeName[];
    this.#objects = new Map(
      names.map((name) => {
        const type = this.#make(name, initializers[name] ?? null, instantiations[name] ?? null);
        return [name, type] as const;
      }),
    );
    for (const [name, type] of this.#objects) this.#types.set(name.toLowerCase(), type);
    this.#addAlias('TargetSpec', TARGET_SPEC);
    this.#addAlias('PlanResult', PLAN_RESULT);
  }

  /** The type of that name in any case; null when plans have none of their own. */
  find(name: string): PType | null {
    return this.#types.get(name.toLowerCase().replace(/^::/, '')) ?? null;
  }

  object(name: PlanTypeName): ObjectType {
    const type = this.#objects.get(name);
    if (type === undefined) throw new Error(`invariant: ${name} is a type of plans`);
    return type;
  }

  get planResult(): PType {
    return parseType('PlanResult', this.resolve);
  }

  get targetSpec(): PType {
    return parseType('TargetSpec', this.resolve);
  }

  /** Bolt has each as `Boltlib::<name>`, and under the name alone. */
  #addAlias(name: string, text: string): void {
    const alias = new TypeAliasType(`Boltlib::${name}`, () => parseType(text, this.resolve));
    this.#types.set(`boltlib::${name.toLowerCase()}`, alias);
    this.#types.set(name.toLowerCase(), new TypeAliasType(name, () => alias));
  }

  #make(name: PlanTypeName, initializer: ModelInitializer | null, instantiation: Instantiation | null): ObjectType {
    const { attributes, functions } = SHAPES[name];
    const isTarget = name === 'Target';
    return new ObjectType(
      name,
      (self) => {
        if (self.isDefault) return NO_MEMBERS;
        const members = Object.entries(attributes).map(([key, text]) => {
          const type = parseType(text, this.resolve);
          return [key, isTarget ? PuppetHash.of([['type', type], ['kind', 'given_or_derived']]) : type] as const; // biome-ignore format: short
        });
        const methods = Object.entries(functions).map(([key, text]) => [key, parseType(text, this.resolve)] as const);
        return defineObject(
          self,
          PuppetHash.of([
            ['attributes', PuppetHash.of(members)],
            ['functions', PuppetHash.of(methods)],
          ]),
        );
      },
      instantiation,
      initializer,
    );
  }
}
