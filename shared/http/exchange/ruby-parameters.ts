import { inspectString } from '../../puppet/ruby-core/ruby-inspect.ts';

type Value = string | number | boolean;

/**
 * A query as Puppet's handler parses it (lib/puppet/network/http/handler.rb): repeated names are
 * lists, and some words become values.
 */
export class QueryParameters {
  readonly #query: URLSearchParams;

  constructor(query: URLSearchParams) {
    this.#query = query;
  }

  /** The value of a parameter, the first one if repeated; undefined when absent. */
  getValue(name: string): Value | undefined {
    const text = this.#query.get(name);
    return text === null ? undefined : readValue(text);
  }

  /** The value as raw text. */
  getText(name: string): string | undefined {
    return this.#query.get(name) ?? undefined;
  }

  /** All raw values of a parameter. */
  getTexts(name: string): readonly string[] {
    return this.#query.getAll(name);
  }

  /**
   * The hash that Ruby prints for the parameters a route passes on: `{:rest=>"a/b", :recurse=>true,
   * :ignore=>["a", "b"]}`.
   */
  inspect(key: string): string {
    const pairs = [`:rest=>${inspectString(key)}`];
    for (const name of new Set(this.#query.keys())) {
      if (name === 'environment') continue;
      const values = this.#query.getAll(name).map((text) => inspectValue(readValue(text)));
      pairs.push(`:${name}=>${values.length === 1 ? values[0] : `[${values.join(', ')}]`}`);
    }
    return `{${pairs.join(', ')}}`;
  }
}

function readValue(text: string): Value {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

function inspectValue(value: Value): string {
  return typeof value === 'string' ? inspectString(value) : String(value);
}
