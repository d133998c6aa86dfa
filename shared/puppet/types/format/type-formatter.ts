import { rubyFloat } from '../../ruby-core/ruby-float.ts';
import type { CallableType } from '../callable-type.ts';
import type { ClassType, ResourceType } from '../catalog-types.ts';
import type { ArrayType, CollectionType, HashType } from '../collection-types.ts';
import type { InitType } from '../init-type.ts';
import type { ObjectExtensionType } from '../objects/object-extension.ts';
import type { ObjectType } from '../objects/object-type.ts';
import { PuppetObject } from '../objects/puppet-object.ts';
import type { TypeSetType } from '../objects/type-set-type.ts';
import type { PType } from '../ptype.ts';
import type { StructElement, StructType, TupleType } from '../record-types.ts';
import type { TypeAliasType, TypeReferenceType } from '../reference-types.ts';
import type { RuntimeType } from '../runtime-type.ts';
import type { FloatType, IntegerType, RegexpType } from '../scalar-types.ts';
import type { EnumType, PatternType, StringType } from '../string-types.ts';
import { puppetQuote } from '../text/quote.ts';
import { capitalizeSegments } from '../text/text.ts';
import type { SemVerType, TimespanType } from '../time/time-types.ts';
import { Uri } from '../uri/uri.ts';
import type { URIType } from '../uri/uri-type.ts';
import { Binary } from '../values/binary.ts';
import { PuppetHash } from '../values/puppet-hash.ts';
import { PuppetRegexp } from '../values/regexp.ts';
import { DEFAULT, RichValue, Sensitive, type Value } from '../values/values.ts';
import type { VariantType } from '../wrapper-types.ts';

/** Aliases that are shown by name only. */
const BUILT_IN_ALIASES: ReadonlySet<string> = new Set([
  'Data',
  'RichDataKey',
  'RichData',
  'Puppet::LookupKey',
  'Puppet::LookupValue',
]);

/** A type's text with aliases and Object types spelled out (once), as Puppet's `to_s` of an alias or Object type. */
export function formatExpanded(type: PType): string {
  return new TypePrinter({ expanded: true }).type(type);
}

/** A type's text; an alias itself is shown as `Name = Type`, aliases within by their name. */
export function formatType(type: PType): string {
  const expanded = type.kind === 'TypeAlias' || type.kind === 'Object' || type.kind === 'TypeSet';
  return new TypePrinter({ expanded }).type(type);
}

/** A type or value as `%p` shows it; `indent` (a level of two blanks) spreads it over lines, `typeOf` infers types of values. */
export function formatLiteral(value: Value, typeOf: (value: Value) => PType, indent: number | null = null): string {
  return new TypePrinter({ indent, typeOf }).value(value);
}

interface PrinterOptions {
  readonly expanded?: boolean;
  readonly indent?: number | null;
  readonly typeOf?: (value: Value) => PType;
}

/** Follows lib/puppet/pops/types/type_formatter.rb. */
class TypePrinter {
  #expanded: boolean;
  #indent: number | null;
  #typeSet: TypeSetType | null = null;
  readonly #shownAliases = new Set<PType>();

  readonly #typeOf: ((value: Value) => PType) | null;

  constructor({ expanded = false, indent = null, typeOf }: PrinterOptions) {
    this.#typeOf = typeOf ?? null;
    this.#expanded = expanded;
    this.#indent = indent;
  }

  type(type: PType): string {
    const printer = PRINTERS[type.kind];
    return printer ? printer(type, this) : type.kind;
  }

  value(value: Value): string {
    switch (typeof value) {
      case 'string':
        return puppetQuote(value);
      case 'number':
        return rubyFloat(value);
      case 'bigint':
      case 'boolean':
        return String(value);
    }
    if (value === null) return 'undef';
    if (value instanceof PuppetHash) return this.hash(value);
    if (value instanceof RichValue) return this.#rich(value);
    return this.#array(value);
  }

  #rich(value: RichValue): string {
    if (isType(value)) return this.type(value);
    if (value === DEFAULT) return 'default';
    if (value instanceof PuppetRegexp) return value.delimited();
    if (value instanceof PuppetObject) return `${objectName(value)}(${this.hash(value.toInitHash())})`;
    if (value instanceof Uri) return `URI(${puppetQuote(value.toString())})`;
    if (value instanceof Sensitive || value instanceof Binary) return `Instance of ${this.#typeText(value)}`;
    return `'${value}'`;
  }

  #typeText(value: Sensitive | Binary): string {
    const type = this.#typeOf?.(value);
    if (type) return this.type(type);
    return value instanceof Binary ? 'Binary' : `Sensitive[${SCALAR_TYPES[typeof value.unwrap()] ?? 'Any'}]`;
  }

  #array(items: readonly Value[]): string {
    if (this.#indent === null || isShort(items, this.#indent)) return `[${this.values(items).join(', ')}]`;
    this.#indent += 1;
    const start = this.#lineStart();
    const body = items.map((item) => `${start}${this.value(item)}`).join(',');
    this.#indent -= 1;
    return `[${body}${this.#lineStart()}]`;
  }

  values(items: readonly Value[]): string[] {
    return items.map((item) => this.value(item));
  }

  hash(
    hash: PuppetHash,
    bareKeys = false,
    show: (key: Value, value: Value) => string = (_, v) => this.value(v),
  ): string {
    if (this.#indent !== null) this.#indent += 1;
    const start = this.#lineStart();
    const entries = [...hash.entries()].map(
      ([key, value]) => `${start}${bareKeys ? String(key) : this.value(key)} => ${show(key, value)}`,
    );
    if (this.#indent !== null) this.#indent -= 1;
    const separator = this.#indent === null ? ', ' : ',';
    return `{${entries.join(separator)}${this.#lineStart()}}`;
  }

  #lineStart(): string {
    return this.#indent === null ? '' : `\n${'  '.repeat(this.#indent)}`;
  }

  alias(type: TypeAliasType): string {
    const { name } = type;
    if (this.#typeSet !== null) {
      const inSet = this.#expanded && this.#typeSet.definesType(type);
      return inSet && !this.#shownAliases.has(type) ? this.#once(type) : (this.#typeSet.nameFor(type) ?? name);
    }
    if (!this.#expanded || BUILT_IN_ALIASES.has(name) || this.#shownAliases.has(type)) return name;
    if (!type.isRecursive) return `${name} = ${this.type(type.resolvedType)}`;
    return `${name} = ${this.#once(type)}`;
  }

  /** What an alias stands for; within that it is shown by its name. */
  #once(type: TypeAliasType): string {
    this.#shownAliases.add(type);
    const text = this.type(type.resolvedType);
    this.#shownAliases.delete(type);
    return text;
  }

  object(type: ObjectType): string {
    if (this.#expanded) return this.objectHash(type.toInitHash(!this.#typeSet?.definesType(type)));
    return this.#typeSet?.nameFor(type) ?? type.name;
  }

  extension(type: ObjectExtensionType): string {
    const name = this.#typeSet?.nameFor(type) ?? type.name;
    const parameters = type.initParameters;
    const shown = parameters instanceof PuppetHash ? this.hash(parameters) : this.values(parameters).join(', ');
    return `${name}[${shown}]`;
  }

  objectHash(hash: PuppetHash): string {
    const wasExpanded = this.#expanded;
    this.#expanded = false;
    const shown = this.hash(hash, true, (key, value) => this.#objectEntry(key, value));
    this.#expanded = wasExpanded;
    return `Object[${shown}]`;
  }

  #objectEntry(key: Value, value: Value): string {
    if ((key === 'attributes' || key === 'functions') && value instanceof PuppetHash) {
      return this.hash(value, false, (_, member) =>
        member instanceof PuppetHash
          ? this.hash(member, true, (name, item) => (name === 'kind' ? String(item) : this.value(item)))
          : this.value(member),
      );
    }
    return this.value(value);
  }

  typeSet(type: TypeSetType): string {
    const shown = this.hash(type.toInitHash(), true, (key, value) => {
      if (key === 'types' && value instanceof PuppetHash) return this.#typesOfSet(type, value);
      if (key === 'references' && value instanceof PuppetHash) return this.hash(value, true);
      return this.value(value);
    });
    return `TypeSet[${shown}]`;
  }

  #typesOfSet(type: TypeSetType, types: PuppetHash): string {
    const outer = this.#typeSet;
    this.#typeSet = type;
    const shown = this.hash(types, true, (_, item) =>
      item instanceof PuppetHash ? this.objectHash(item) : this.value(item),
    );
    this.#typeSet = outer;
    return shown;
  }
}

/** What a Sensitive value within the definition of a type holds, where values are not inferred. */
const SCALAR_TYPES: Readonly<Record<string, string>> = {
  string: 'String',
  bigint: 'Integer',
  number: 'Float',
  boolean: 'Boolean',
};

/** Puppet: a parameterized type has the last part of its name only. */
function objectName({ shape, type }: PuppetObject): string {
  return type.kind === 'ObjectExtension' ? (shape.name.split('::').at(-1) ?? shape.name) : shape.name;
}

function isType(value: RichValue): value is PType {
  return 'kind' in value && 'isAssignable' in value;
}

/** Whether an array goes on one line of 100 columns. */
function isShort(items: readonly Value[], indent: number): boolean {
  if (items.length === 0) return true;
  const width = items.reduce((sum: number, item) => {
    if (typeof item === 'string') return sum + 2 + item.length;
    if (item === null) return sum + 3;
    if (typeof item === 'object') return sum + (isEmptyCollection(item) ? 2 : 1000);
    return sum + (typeof item === 'number' ? rubyFloat(item) : String(item)).length;
  }, 0);
  return 100 - indent * 2 > width;
}

function isEmptyCollection(value: object): boolean {
  return value instanceof PuppetHash ? value.size === 0 : Array.isArray(value) && value.length === 0;
}

type Printer = (type: never, printer: TypePrinter) => string;
type AnyPrinter = (type: PType, printer: TypePrinter) => string;

function bracketed(name: string, parts: readonly string[]): string {
  return parts.length === 0 ? name : `${name}[${parts.join(', ')}]`;
}

/** `from` and `to` as parameters; nothing for a range without limits. */
function rangeParts(range: IntegerType | FloatType | null): string[] {
  if (range === null || range.isUnbounded) return [];
  const show = (end: bigint | number) => (typeof end === 'number' ? rubyFloat(end) : end.toString());
  const parts = [range.from === null ? 'default' : show(range.from)];
  if (range.to !== null) parts.push(show(range.to));
  return parts;
}

function timeParts(type: TimespanType): string[] {
  const { from, to } = type;
  if (from === null && to === null) return [];
  const parts = [from === null ? 'default' : `'${from}'`];
  if (to !== null && !(from !== null && from.nsecs === to.nsecs)) parts.push(`'${to}'`);
  return parts;
}

/** A contained exact string is shown as that string. */
function contained(type: PType | null, printer: TypePrinter): string[] {
  if (type === null) return [];
  const exact = type.kind === 'String' ? exactValue(type) : null;
  return [exact === null ? printer.type(type) : puppetQuote(exact)];
}

function exactValue(type: PType): string | null {
  return 'value' in type && typeof type.value === 'string' ? type.value : null;
}

function structEntry(element: StructElement, printer: TypePrinter): string {
  const valueOptional = element.valueAcceptsUndef;
  const name = puppetQuote(element.name);
  let key = name;
  if (element.isOptional && !valueOptional) key = `Optional[${name}]`;
  if (!element.isOptional && valueOptional) key = `NotUndef[${name}]`;
  return `${key} => ${printer.type(element.valueType)}`;
}

function callableParams(type: CallableType, printer: TypePrinter): string[] {
  const params = type.params;
  if (params === null) return [];
  const parts = params.types.filter((item) => item.kind !== 'Unit').map((item) => printer.type(item));
  parts.push(...(params.types.length === 0 ? ['0', '0'] : rangeParts(params.size)));
  if (type.block !== null) parts.push(printer.type(type.block));
  return parts;
}

function formatCallable(type: CallableType, printer: TypePrinter): string {
  if (type.returns === null)
    return type.params === null ? 'Callable' : bracketed('Callable', callableParams(type, printer));
  return `Callable[[${callableParams(type, printer).join(', ')}], ${printer.type(type.returns)}]`;
}

interface Contained {
  readonly type: PType | null;
}

const container =
  (name: string): AnyPrinter =>
  (type, printer) => {
    const inner = 'type' in type ? (type as unknown as Contained).type : null;
    return bracketed(name, inner === null ? [] : [printer.type(inner)]);
  };

const SPECIFIC: Readonly<Record<string, Printer>> = {
  Boolean: (type: PType & { value: boolean | null }) =>
    bracketed('Boolean', type.value === null ? [] : [`${type.value}`]),
  Integer: (type: IntegerType) => bracketed('Integer', rangeParts(type)),
  Float: (type: FloatType) => bracketed('Float', rangeParts(type)),
  Regexp: (type: RegexpType) => bracketed('Regexp', type.pattern === null ? [] : [type.regexp.delimited()]),
  String: (type: StringType) => bracketed('String', rangeParts(type.size)),
  Enum: (type: EnumType) =>
    bracketed('Enum', [...type.values.map((value) => puppetQuote(value)), ...(type.caseInsensitive ? ['true'] : [])]),
  Pattern: (type: PatternType) =>
    bracketed(
      'Pattern',
      type.patterns.map((pattern) => pattern.regexp.delimited()),
    ),
  Collection: (type: CollectionType) => bracketed('Collection', rangeParts(type.size)),
  Array: (type: ArrayType, printer) => {
    if (type.hasEmptyRange) return 'Array[0, 0]';
    return type.isDefault ? 'Array' : bracketed('Array', [printer.type(type.element), ...rangeParts(type.size)]);
  },
  Hash: (type: HashType, printer) => {
    if (type.hasEmptyRange) return 'Hash[0, 0]';
    if (type.isDefault) return 'Hash';
    return bracketed('Hash', [printer.type(type.key), printer.type(type.value), ...rangeParts(type.size)]);
  },
  Struct: (type: StructType, printer) =>
    type.elements.length === 0
      ? 'Struct'
      : `Struct[{${type.elements.map((element) => structEntry(element, printer)).join(', ')}}]`,
  Tuple: (type: TupleType, printer) =>
    type.types.length === 0
      ? 'Tuple'
      : bracketed('Tuple', [...type.types.map((item) => printer.type(item)), ...rangeParts(type.size)]),
  Variant: (type: VariantType, printer) =>
    bracketed(
      'Variant',
      type.types.map((item) => printer.type(item)),
    ),
  Optional: (type: PType & Contained, printer) => bracketed('Optional', contained(type.type, printer)),
  NotUndef: (type: PType & Contained, printer) => bracketed('NotUndef', contained(type.type, printer)),
  Type: container('Type'),
  Iterable: container('Iterable'),
  Iterator: container('Iterator'),
  Sensitive: (type: PType & { type: PType }, printer) =>
    bracketed('Sensitive', type.type.kind === 'Any' ? [] : [printer.type(type.type)]),
  Timespan: (type: TimespanType) => bracketed('Timespan', timeParts(type)),
  Timestamp: (type: TimespanType) => bracketed('Timestamp', timeParts(type)),
  SemVer: (type: SemVerType) =>
    bracketed(
      'SemVer',
      type.ranges.map((range) => `'${range}'`),
    ),
  Callable: formatCallable,
  Init: (type: InitType, printer) =>
    bracketed('Init', type.type === null ? [] : [printer.type(type.type), ...printer.values(type.initArgs)]),
  Class: (type: ClassType) => bracketed('Class', type.className === null ? [] : [type.className]),
  Resource: (type: ResourceType, printer) => {
    if (type.typeName === null) return 'Resource';
    const title = type.title ?? type.notATitle;
    return bracketed(capitalizeSegments(type.typeName), title === null ? [] : [printer.value(title)]);
  },
  Runtime: (type: RuntimeType, printer) => {
    const { runtime, nameOrPattern } = type;
    if (runtime === null && nameOrPattern === null) return 'Runtime';
    const shown =
      typeof nameOrPattern === 'object' && nameOrPattern !== null
        ? `[${nameOrPattern[0].regexp.inspect()}, ${puppetQuote(nameOrPattern[1])}]`
        : printer.value(nameOrPattern);
    return bracketed('Runtime', [runtime ?? 'undef', shown]);
  },
  URI: (type: URIType, printer) => bracketed('URI', type.parameters === null ? [] : [printer.hash(type.parameters)]),
  TypeReference: (type: TypeReferenceType) => `TypeReference[${puppetQuote(type.typeString)}]`,
  TypeAlias: (type: TypeAliasType, printer) => printer.alias(type),
  Object: (type: ObjectType, printer) => printer.object(type),
  ObjectExtension: (type: ObjectExtensionType, printer) => printer.extension(type),
  TypeSet: (type: TypeSetType, printer) => printer.typeSet(type),
};

const PRINTERS = SPECIFIC as Readonly<Record<string, AnyPrinter>>;
