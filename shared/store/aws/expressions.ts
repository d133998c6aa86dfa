/** A stored attribute plus a number; see `attribute`. */
class AttributeSum {
  readonly name: string;
  readonly added: number;

  constructor(name: string, added: number) {
    this.name = name;
    this.added = added;
  }
}

/**
 * A condition on the stored item. It compares with a value or with an `attribute`; null equals
 * null.
 */
export type Condition =
  | { readonly kind: 'comparison'; readonly name: string; readonly operator: Operator; readonly other: unknown }
  | {
      readonly kind: 'attribute_exists' | 'attribute_not_exists' | 'begins_with';
      readonly name: string;
      readonly prefix?: string;
    }
  | { readonly kind: 'AND' | 'OR'; readonly conditions: readonly Condition[] };

type Operator = '=' | '<>' | '<' | '<=' | '>' | '>=';

/** The parts of an update. All parts see the item as it was before the update. */
export interface Update {
  /** New values by attribute: a value or an `attribute`. Undefined entries are left out. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** Values for attributes that the item does not have yet. */
  readonly setIfAbsent?: Readonly<Record<string, unknown>>;
  /** Amounts to add to numbers that exist. */
  readonly add?: Readonly<Record<string, number>>;
  /** Amounts to add to numbers; a missing number counts as 0. */
  readonly count?: Readonly<Record<string, number>>;
  /** Elements to append to lists that exist. */
  readonly append?: Readonly<Record<string, readonly unknown[]>>;
  readonly remove?: readonly string[];
  readonly when?: Condition | undefined;
}

/** The stored value of another attribute, plus `added`. */
export function attribute(name: string, added = 0): AttributeSum {
  return new AttributeSum(name, added);
}

/** Holds when the attribute compares so with `other`, a value or an `attribute`. */
export function compareTo(name: string, operator: Operator, other: unknown): Condition {
  return { kind: 'comparison', name, operator, other };
}

/** Holds when the item has the attribute. */
export function attributeExists(name: string): Condition {
  return { kind: 'attribute_exists', name };
}

/** Holds when the item does not have the attribute, or when there is no item. */
export function attributeNotExists(name: string): Condition {
  return { kind: 'attribute_not_exists', name };
}

/** Holds when the attribute is a text with this prefix. */
export function beginsWith(name: string, prefix: string): Condition {
  return { kind: 'begins_with', name, prefix };
}

/** Holds when all conditions hold; undefined ones are left out. */
export function allOf(...conditions: readonly (Condition | undefined)[]): Condition {
  return { kind: 'AND', conditions: conditions.filter((one) => one !== undefined) };
}

/** Holds when one condition holds; undefined ones are left out. */
export function anyOf(...conditions: readonly (Condition | undefined)[]): Condition {
  return { kind: 'OR', conditions: conditions.filter((one) => one !== undefined) };
}

/** Builds the expressions of an UpdateCommand. */
export function buildUpdate({
  set = {},
  setIfAbsent = {},
  add = {},
  count = {},
  append = {},
  remove = [],
  when,
}: Update) {
  const places = new Placeholders();
  const sets = [
    ...Object.entries({ ...set, ...mapEntries(add, attribute) }).flatMap(([name, value]) =>
      value === undefined ? [] : [`${places.addName(name)} = ${places.addOperand(value)}`],
    ),
    ...Object.entries(setIfAbsent).map(([name, value]) => {
      const place = places.addName(name);
      return `${place} = if_not_exists(${place}, ${places.addOperand(value)})`;
    }),
    ...Object.entries(append).map(([name, values]) => {
      const place = places.addName(name);
      return `${place} = list_append(${place}, ${places.addOperand(values)})`;
    }),
  ];
  const removes = remove.map((name) => places.addName(name));
  const counts = Object.entries(count).map(([name, value]) => `${places.addName(name)} ${places.addOperand(value)}`);
  const clauses = [
    ...(sets.length === 0 ? [] : [`SET ${sets.join(', ')}`]),
    ...(removes.length === 0 ? [] : [`REMOVE ${removes.join(', ')}`]),
    ...(counts.length === 0 ? [] : [`ADD ${counts.join(', ')}`]),
  ];
  const condition = when && { ConditionExpression: printCondition(when, places) };
  return { UpdateExpression: clauses.join(' '), ...condition, ...places.toAttributes() };
}

/** Builds the condition of a PutCommand or DeleteCommand; empty without a condition. */
export function buildCondition(when: Condition | undefined) {
  if (when === undefined) return {};
  const places = new Placeholders();
  return { ConditionExpression: printCondition(when, places), ...places.toAttributes() };
}

/** Builds the condition of a QueryCommand. */
export function buildKeyCondition(where: Condition) {
  const places = new Placeholders();
  return { KeyConditionExpression: printCondition(where, places), ...places.toAttributes() };
}

/** Builds the projection of a read; empty without attributes, which reads all. */
export function buildProjection(attributes: readonly string[] | undefined) {
  if (attributes === undefined) return {};
  const places = new Placeholders();
  const names = attributes.map((name) => places.addName(name));
  return { ProjectionExpression: names.join(', '), ...places.toAttributes() };
}

function printCondition(condition: Condition, places: Placeholders): string {
  switch (condition.kind) {
    case 'comparison':
      return `${places.addName(condition.name)} ${condition.operator} ${places.addOperand(condition.other)}`;
    case 'AND':
    case 'OR':
      return condition.conditions.map((part) => printPart(part, places)).join(` ${condition.kind} `);
    default: {
      const prefix = condition.prefix === undefined ? '' : `, ${places.addOperand(condition.prefix)}`;
      return `${condition.kind}(${places.addName(condition.name)}${prefix})`;
    }
  }
}

function printPart(part: Condition, places: Placeholders): string {
  const text = printCondition(part, places);
  return part.kind === 'AND' || part.kind === 'OR' ? `(${text})` : text;
}

/**
 * Allocates `#name` for attributes and `:v0`, `:v1`, … for values: many names are reserved words.
 */
class Placeholders {
  readonly #names: Record<string, string> = {};
  readonly #values: Record<string, unknown> = {};

  addName(name: string): string {
    this.#names[`#${name}`] = name;
    return `#${name}`;
  }

  addOperand(operand: unknown): string {
    if (!(operand instanceof AttributeSum)) return this.#addValue(operand);
    const place = this.addName(operand.name);
    return operand.added === 0 ? place : `${place} + ${this.#addValue(operand.added)}`;
  }

  #addValue(value: unknown): string {
    const place = `:v${Object.keys(this.#values).length}`;
    this.#values[place] = value;
    return place;
  }

  toAttributes() {
    return {
      ExpressionAttributeNames: this.#names,
      ...(Object.keys(this.#values).length === 0 ? {} : { ExpressionAttributeValues: this.#values }),
    };
  }
}

function mapEntries<From, To>(
  entries: Readonly<Record<string, From>>,
  map: (name: string, value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(entries).map(([name, value]) => [name, map(name, value)]));
}
