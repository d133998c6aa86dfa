/** One way to read a rule at a place: where it ends, and the values that it gives. */
export interface Match {
  readonly end: number;
  readonly values: readonly unknown[];
}

/** A grammar rule: all ways to read the text from a place on, at most one for each end. */
export type GrammarRule = (parsing: Parsing, at: number) => readonly Match[];

/**
 * One parse of a text. Every way to read it is tried, and none twice, so that a failed parse knows
 * the furthest place where a token was missing: the place that PuppetDB's messages name.
 */
export class Parsing {
  readonly text: string;
  private readonly known = new Map<GrammarRule, Map<number, readonly Match[]>>();
  private furthest = 0;
  private expected = new Set<string>();

  constructor(text: string) {
    this.text = text;
  }

  /** The furthest place at which a token was expected in vain. */
  get failure(): number {
    return this.furthest;
  }

  /** The tokens that would have fitted there, as PuppetDB names them. */
  get expectations(): readonly string[] {
    return [...this.expected];
  }

  /** Notes that a token was expected at a place in vain. */
  fail(at: number, token: string): readonly Match[] {
    if (at > this.furthest) {
      this.furthest = at;
      this.expected = new Set();
    }
    if (at === this.furthest) this.expected.add(token);
    return [];
  }

  /** Returns the matches of the rule at the place from `compute`; computed once. */
  recall(rule: GrammarRule, at: number, compute: () => readonly Match[]): readonly Match[] {
    const places = this.known.get(rule) ?? new Map<number, readonly Match[]>();
    this.known.set(rule, places);
    const known = places.get(at);
    if (known !== undefined) return known;
    const found = compute();
    places.set(at, found);
    return found;
  }
}

/** A fixed text; gives it as its value. */
export const word =
  (text: string): GrammarRule =>
  (parsing, at) =>
    parsing.text.startsWith(text, at) ? [{ end: at + text.length, values: [text] }] : parsing.fail(at, text);

/** A sticky pattern; gives the text that it matches. */
export const pattern =
  (expression: RegExp): GrammarRule =>
  (parsing, at) => {
    expression.lastIndex = at;
    const found = expression.exec(parsing.text)?.[0];
    if (found === undefined) return parsing.fail(at, `#"${expression.source}"`);
    return [{ end: at + found.length, values: [found] }];
  };

/** The rules one after another. */
export const sequence =
  (...rules: readonly GrammarRule[]): GrammarRule =>
  (parsing, at) =>
    rules.reduce<readonly Match[]>((matches, rule) => extend(parsing, matches, rule), [{ end: at, values: [] }]);

/** Any of the rules; of two that end at one place, the first. */
export const choice =
  (...rules: readonly GrammarRule[]): GrammarRule =>
  (parsing, at) =>
    firstForEachEnd(rules.flatMap((rule) => rule(parsing, at)));

/** The rule or nothing. */
export const optional =
  (rule: GrammarRule): GrammarRule =>
  (parsing, at) =>
    firstForEachEnd([...rule(parsing, at), { end: at, values: [] }]);

/**
 * The rule as often as it fits, and never less: what follows a repetition in this grammar never
 * begins like one more of it. Lists of any length take time and memory in proportion.
 */
export const repeated =
  (rule: GrammarRule): GrammarRule =>
  (parsing, at) => {
    const values: unknown[] = [];
    let end = at;
    for (;;) {
      const next = longest(rule(parsing, end));
      if (next === null || next.end === end) return [{ end, values }];
      for (const value of next.values) values.push(value);
      end = next.end;
    }
  };

function longest(matches: readonly Match[]): Match | null {
  return matches.reduce<Match | null>((best, one) => (best === null || one.end > best.end ? one : best), null);
}

/** The rule, unless `refused` fits at the same place. */
export const unless =
  (refused: GrammarRule, rule: GrammarRule): GrammarRule =>
  (parsing, at) =>
    refused(parsing, at).length > 0 ? parsing.fail(at, 'NOT a keyword') : rule(parsing, at);

/** The rule without its values. */
export const skip =
  (rule: GrammarRule): GrammarRule =>
  (parsing, at) =>
    rule(parsing, at).map(({ end }) => ({ end, values: [] }));

/** The rule with one value made of its values; remembered for each place. */
export function build(rule: GrammarRule, make: (values: readonly unknown[]) => unknown): GrammarRule {
  const built: GrammarRule = (parsing, at) =>
    parsing.recall(built, at, () => rule(parsing, at).map(({ end, values }) => ({ end, values: [make(values)] })));
  return built;
}

/** A rule defined later, for recursion. */
export const later =
  (rule: () => GrammarRule): GrammarRule =>
  (parsing, at) =>
    rule()(parsing, at);

function extend(parsing: Parsing, matches: readonly Match[], rule: GrammarRule): readonly Match[] {
  const longer = matches.flatMap(({ end, values }) =>
    rule(parsing, end).map((next) => ({ end: next.end, values: [...values, ...next.values] })),
  );
  return firstForEachEnd(longer);
}

function firstForEachEnd(matches: readonly Match[]): readonly Match[] {
  if (matches.length < 2) return matches;
  const first = new Map<number, Match>();
  for (const match of matches) if (!first.has(match.end)) first.set(match.end, match);
  return [...first.values()];
}
