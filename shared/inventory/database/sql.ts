/** A statement with numbered places (`$1`) and the text of each value; null is SQL's null. */
export interface Statement {
  readonly text: string;
  readonly values: readonly (string | null)[];
}

/** A value of a statement. It never becomes part of the statement's text. */
class BoundValue {
  readonly text: string | null;
  readonly type: string;

  constructor(text: string | null, type: string) {
    this.text = text;
    this.type = type;
  }
}

/** A piece of SQL: constant text and values, in order. Pieces are nested with the tag `sql`. */
export class Sql {
  readonly parts: readonly (string | BoundValue)[];

  constructor(parts: readonly (string | BoundValue)[]) {
    this.parts = parts;
  }

  /** The statement, with its values numbered. */
  render(): Statement {
    const values: (string | null)[] = [];
    const texts = this.parts.map((part) => {
      if (typeof part === 'string') return part;
      values.push(part.text);
      return `($${values.length}::text)::${part.type}`;
    });
    return { text: texts.join(''), values };
  }
}

/** SQL with other pieces in it: sql`select ${fields} from nodes where ${condition}`. */
export function sql(texts: TemplateStringsArray, ...pieces: readonly Sql[]): Sql {
  return new Sql(texts.flatMap((text, index) => [text, ...(pieces[index]?.parts ?? [])]));
}

/** Constant SQL of our own. Text from outside must go through `bind`. */
export function constantSql(text: string): Sql {
  return new Sql([text]);
}

/** A value of an SQL type, as `text`, `int8` or `jsonb`. */
export function bind(value: string | null, type = 'text'): Sql {
  return new Sql([new BoundValue(value, type)]);
}

/** The pieces with a constant separator between them. */
export function joinSql(pieces: readonly Sql[], separator: string): Sql {
  return new Sql(pieces.flatMap((piece, index) => (index === 0 ? piece.parts : [separator, ...piece.parts])));
}

/** A string as an SQL identifier. */
export function quoteName(name: string): Sql {
  return constantSql(`"${name.replaceAll('"', '""')}"`);
}
