import { rubyFloat } from '../../ruby-core/ruby-number.ts';
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
import { capitalizeSegments, puppetQuote } from '../text/text.ts';
import type { SemVerType, TimespanType } from '../time/time-types.ts';
import { Uri } from '../uri/uri.ts';
import type { URIType } from '../uri/uri-type.ts';
import { Binary } from '../values/binary.ts';
import { PuppetHash } from '../values/puppet-hash.ts';
import { PuppetRegexp } from '../values/regexp.ts';
import { DEFAULT, RichValue, Sensitive, type Value } from '../values/values.ts';
import type { VariantType } from '../wrapper-types.ts';

/** Aliases that print as their name only. */
const BUILT_IN_ALIASES: ReadonlySet<string> = new Set([
  'Data',
  'RichDataKey',
  'RichData',
  'Puppet::LookupKey',
  'Puppet::LookupValue',
]);

/**
 * The text of a type with aliases and Object types expanded once, like Puppet's `to_s` of an alias
 * or Object type.
 */
export function formatExpanded(type: PType): string {
  return new TypePrinter({ expanded: true }).printType(type);
}

/** The text of a type. An alias prints as `Name = Type`; nested aliases print as their names. */
export function formatType(type: PType): string {
  const expanded = type.kind === 'TypeAlias' || type.kind === 'Object' || type.kind === 'TypeSet';
  return new TypePrinter({ expanded }).printType(type);
}

/**
 * A type or value in format `%p`. With `indent` (levels of two blanks) it is spread over lines.
 * `typeOf` infers the types of values.
 */
export function formatLiteral(value: Value, typeOf: (value: Value) => PType, indent: number | null = null): string {
  return new TypePrinter({ indent, typeOf }).printValue(value);
}

interface PrinterOptions {
  readonly expanded?: boolean;
  readonly indent?: number | null;
  readonly typeOf?: (value: Value) => PType;
}

/** Prints types. Follows lib/puppet/pops/types/type_formatter.rb. */
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

  printType(type: PType): string {
    const printer = PRINTERS[type.kind];
    return printer ? printer(type, this) : type.kind;
  }

  printValue(value: Value): string {
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
    if (value instanceof PuppetHash) return this.printHash(value);
    if (value instanceof RichValue) return this.#printRich(value);
    return this.#printArray(value);
  }

  #printRich(value: RichValue): string {
    if (isType(value)) return this.printType(value);
    if (value === DEFAULT) return 'default';
    if (value instanceof PuppetRegexp) return value.toDelimited();
    if (value instanceof PuppetObject) return `${objectName(value)}(${this.printHash(value.toInitHash())})`;
    if (value instanceof Uri) return `URI(${puppetQuote(value.toString())})`;
    if (value instanceof Sensitive || value instanceof Binary) return `Instance of ${this.#typeText(value)}`;
    return `'${value}'`;
  }

  #typeText(value: Sensitive | Binary): string {
    const type = this.#typeOf?.(value);
    if (type) return this.printType(type);
    return value instanceof Binary ? 'Binary' : `Sensitive[${SCALAR_TYPES[typeof value.unwrap()] ?? 'Any'}]`;
  }

  #printArray(items: readonly Value[]): string {
    if (this.#indent === null || isShort(items, this.#indent)) return `[${this.printValues(items).join(', ')}]`;
    this.#indent += 1;
    const start = this.#lineStart();
    const body = items.map((item) => `${start}${this.printValue(item)}`).join(',');
    this.#indent -= 1;
    return `[${body}${this.#lineStart()}]`;
  }

  printValues(items: readonly Value[]): string[] {
    return items.map((item) => this.printValue(item));
  }

  printHash(
    hash: PuppetHash,
    bareKeys = false,
    show: (key: Value, value: Value) => string = (_, v) => this.printValue(v),
  ): string {
    if (this.#indent !== null) this.#indent += 1;
    const start = this.#lineStart();
    const entries = [...hash.entries()].map(
      ([key, value]) => `${start}${bareKeys ? String(key) : this.printValue(key)} => ${show(key, value)}`,
    );
    if (this.#indent !== null) this.#indent -= 1;
    const separator = this.#indent === null ? ', ' : ',';
    return `{${entries.join(separator)}${this.#lineStart()}}`;
  }

  #lineStart(): string {
    return this.#indent === null ? '' : `\n${'  '.repeat(this.#indent)}`;
  }

  printAlias(type: TypeAliasType): string {
    const { name } = type;
    if (this.#typeSet !== null) {
      const inSet = this.#expanded && this.#typeSet.definesType(type);
      return inSet && !this.#shownAliases.has(type) ? this.#printAliased(type) : (this.#typeSet.nameFor(type) ?? name);
    }
    if (!this.#expanded || BUILT_IN_ALIASES.has(name) || this.#shownAliases.has(type)) return name;
    if (!type.isRecursive) return `${name} = ${this.printType(type.resolvedType)}`;
    return `${name} = ${this.#printAliased(type)}`;
  }

  /** Prints the aliased type. The alias itself prints as its name inside it. */
  #printAliased(type: TypeAliasType): string {
    this.#shownAliases.add(type);
    const text = this.printType(type.resolvedType);
    this.#shownAliases.delete(type);
    return text;
  }

  printObject(type: ObjectType): string {
    if (this.#expanded) return this.objectHash(type.toInitHash(!this.#typeSet?.definesType(type)));
    return this.#typeSet?.nameFor(type) ?? type.name;
  }

  printExtension(type: ObjectExtensionType): string {
    const name = this.#typeSet?.nameFor(type) ?? type.name;
    const parameters = type.initParameters;
    const shown =
      parameters instanceof PuppetHash ? this.printHash(parameters) : this.printValues(parameters).join(', ');
    return `${name}[${shown}]`;
  }

  objectHash(hash: PuppetHash): string {
    const wasExpanded = this.#expanded;
    this.#expanded = false;
    const shown = this.printHash(hash, true, (key, value) => this.#objectEntry(key, value));
    this.#expanded = wasExpanded;
    return `Object[${shown}]`;
  }

  #objectEntry(key: Value, value: Value): string {
    if ((key === 'attributes' || key === 'functions') && value instanceof PuppetHash) {
      return this.printHash(value, false, (_, member) =>
        member instanceof PuppetHash
          ? this.printHash(member, true, (name, item) => (name === 'kind' ? String(item) : this.printValue(item)))
          : this.printValue(member),
      );
    }
    return this.printValue(value);
  }

  typeSet(type: TypeSetType): string {
    const shown = this.printHash(type.toInitHash(), true, (key, value) => {
      if (key === 'types' && value instanceof PuppetHash) return this.#typesOfSet(type, value);
      if (key === 'references' && value instanceof PuppetHash) return this.printHash(value, true);
      return this.printValue(value);
    });
    return `TypeSet[${shown}]`;
  }

  #typesOfSet(type: TypeSetType, types: PuppetHash): string {
    const outer = this.#typeSet;
    this.#typeSet = type;
    const shown = this.printHash(types, true, (_, item) =>
      item instanceof PuppetHash ? this.objectHash(item) : this.printValue(item),
    );
    this.#typeSet = outer;
    return shown;
  }
}

/**
 * The type of a Sensitive value's content within a type definition, where types are not inferred.
 */
const SCALAR_TYPES: Readonly<Record<string, string>> = {
  string: 'String',
  bigint: 'Integer',
  number: 'Float',
  boolean: 'Boolean',
};

/** Puppet: a parameterized type prints the last segment of its name only. */
function objectName({ shape, type }: PuppetObject): string {
  return type.kind === 'ObjectExtension' ? (shape.name.split('::').at(-1) ?? shape.name) : shape.name;
}

function isType(value: RichValue): value is PType {
  return 'kind' in value && 'isAssignable' in value;
}

/** Whether an array fits on one line of 100 columns. */
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

function printBracketed(name: string, parts: readonly string[]): string {
  return parts.length === 0 ? name : `${name}[${parts.join(', ')}]`;
}

/** `from` and `to` as parameters; none for an unbounded range. */
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

/** A contained exact String type prints as its string. */
function printContained(type: PType | null, printer: TypePrinter): string[] {
  if (type === null) return [];
  const exact = type.kind === 'String' ? exactValue(type) : null;
  return [exact === null ? printer.printType(type) : puppetQuote(exact)];
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
  return `${key} => ${printer.printType(element.valueType)}`;
}

function callableParams(type: CallableType, printer: TypePrinter): string[] {
  const params = type.params;
  if (params === null) return [];
  const parts = params.types.filter((item) => item.kind !== 'Unit').map((item) => printer.printType(item));
  parts.push(...(params.types.length === 0 ? ['0', '0'] : rangeParts(params.size)));
  if (type.block !== null) parts.push(printer.printType(type.block));
  return parts;
}

function formatCallable(type: CallableType, printer: TypePrinter): string {
  if (type.returns === null)
    return type.params === null ? 'Callable' : printBracketed('Callable', callableParams(type, printer));
  return `Callable[[${callableParams(type, printer).join(', ')}], ${printer.printType(type.returns)}]`;
}

interface Contained {
  readonly type: PType | null;
}

const container =
  (name: string): AnyPrinter =>
  (type, printer) => {
    const inner = 'type' in type ? (type as unknown as Contained).type : null;
    return printBracketed(name, inner === null ? [] : [printer.printType(inner)]);
  };

const SPECIFIC: Readonly<Record<string, Printer>> = {
  Boolean: (type: PType & { value: boolean | null }) =>
    printBracketed('Boolean', type.value === null ? [] : [`${type.value}`]),
  Integer: (type: IntegerType) => printBracketed('Integer', rangeParts(type)),
  Float: (type: FloatType) => printBracketed('Float', rangeParts(type)),
  Regexp: (type: RegexpType) => printBracketed('Regexp', type.pattern === null ? [] : [type.regexp.toDelimited()]),
  String: (type: StringType) => printBracketed('String', rangeParts(type.size)),
  Enum: (type: EnumType) =>
    printBracketed('Enum', [
      ...type.values.map((value) => puppetQuote(value)),
      ...(type.caseInsensitive ? ['true'] : []),
    ]),
  Pattern: (type: PatternType) =>
    printBracketed(
      'Pattern',
      type.patterns.map((pattern) => pattern.regexp.toDelimited()),
    ),
  Collection: (type: CollectionType) => printBracketed('Collection', rangeParts(type.size)),
  Array: (type: ArrayType, printer) => {
    if (type.hasEmptyRange) return 'Array[0, 0]';
    return type.isDefault
      ? 'Array'
      : printBracketed('Array', [printer.printType(type.element), ...rangeParts(type.size)]);
  },
  Hash: (type: HashType, printer) => {
    if (type.hasEmptyRange) return 'Hash[0, 0]';
    if (type.isDefault) return 'Hash';
    return printBracketed('Hash', [
      printer.printType(type.key),
      printer.printType(type.value),
      ...rangeParts(type.size),
    ]);
  },
  Struct: (type: StructType, printer) =>
    type.elements.length === 0
      ? 'Struct'
      : `Struct[{${type.elements.map((element) => structEntry(element, printer)).join(', ')}}]`,
  Tuple: (type: TupleType, printer) =>
    type.types.length === 0
      ? 'Tuple'
      : printBracketed('Tuple', [...type.types.map((item) => printer.printType(item)), ...rangeParts(type.size)]),
  Variant: (type: VariantType, printer) =>
    printBracketed(
      'Variant',
      type.types.map((item) => printer.printType(item)),
    ),
  Optional: (type: PType & Contained, printer) => printBracketed('Optional', printContained(type.type, printer)),
  NotUndef: (type: PType & Contained, printer) => printBracketed('NotUndef', printContained(type.type, printer)),
  Type: container('Type'),
  Iterable: container('Iterable'),
  Iterator: container('Iterator'),
  Sensitive: (type: PType & { type: PType }, printer) =>
    printBracketed('Sensitive', type.type.kind === 'Any' ? [] : [printer.printType(type.type)]),
  Timespan: (type: TimespanType) => printBracketed('Timespan', timeParts(type)),
  Timestamp: (type: TimespanType) => printBracketed('Timestamp', timeParts(type)),
  SemVer: (type: SemVerType) =>
    printBracketed(
      'SemVer',
      type.ranges.map((range) => `'${range}'`),
    ),
  Callable: formatCallable,
  Init: (type: InitType, printer) =>
    printBracketed(
      'Init',
      type.type === null ? [] : [printer.printType(type.type), ...printer.printValues(type.initArgs)],
    ),
  Class: (type: ClassType) => printBracketed('Class', type.className === null ? [] : [type.className]),
  Resource: (type: ResourceType, printer) => {
    if (type.typeName === null) return 'Resource';
    const title = type.title ?? type.notATitle;
    return printBracketed(capitalizeSegments(type.typeName), title === null ? [] : [printer.printValue(title)]);
  },
  Runtime: (type: RuntimeType, printer) => {
    const { runtime, nameOrPattern } = type;
    if (runtime === null && nameOrPattern === null) return 'Runtime';
    const shown =
      typeof nameOrPattern === 'object' && nameOrPattern !== null
        ? `[${nameOrPattern[0].regexp.inspect()}, ${puppetQuote(nameOrPattern[1])}]`
        : printer.printValue(nameOrPattern);
    return printBracketed('Runtime', [runtime ?? 'undef', shown]);
  },
  URI: (type: URIType, printer) =>
    printBracketed('URI', type.parameters === null ? [] : [printer.printHash(type.parameters)]),
  TypeReference: (type: TypeReferenceType) => `TypeReference[${puppetQuote(type.typeString)}]`,
  TypeAlias: (type: TypeAliasType, printer) => printer.printAlias(type),
  Object: (type: ObjectType, printer) => printer.printObject(type),
  ObjectExtension: (type: ObjectExtensionType, printer) => printer.printExtension(type),
  TypeSet: (type: TypeSetType, printer) => printer.typeSet(type),
};

const PRINTERS = SPECIFIC as Readonly<Record<string, AnyPrinter>>;
