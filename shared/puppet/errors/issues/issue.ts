/**
 * The structure of the issue catalogue. An entry holds the wording of one issue. Calling it with
 * its arguments makes an issue to raise, report or log.
 */

/**
 * The severity of an issue that the checks of a program report; `strict` depends on the setting
 * `strict`.
 */
type IssueSeverity = 'error' | 'deprecation' | 'strict';

/** An issue with its text; `new PuppetError(issue, place)` makes an error of it. */
export interface Issue {
  /** The code that users see; undefined when Puppet raises the text without a code. */
  readonly code: string | undefined;
  /** Puppet's text, without a location. */
  readonly text: string;
  readonly severity: IssueSeverity;
}

interface IssueEntry<Args extends readonly unknown[]> {
  readonly word: (...args: Args) => string;
  readonly severity: IssueSeverity;
  /** undefined: the entry's name is the code; null: the issue has no code. */
  readonly code: string | null | undefined;
}

interface IssueOptions {
  /** Defaults to `error`. */
  readonly severity?: IssueSeverity;
  /** The code, when it differs from the entry's name. */
  readonly code?: string;
}

/** The names in the marks of a text. */
type NamesIn<Text extends string> = Text extends `${string}%{${infer Mark}}${infer Rest}`
  ? (Mark extends `${infer Name}.${string}` ? Name : Mark) | NamesIn<Rest>
  : never;

/** The arguments of a text: one object with a value for each name, or nothing. */
type ValuesOf<Text extends string> = [NamesIn<Text>] extends [never]
  ? readonly []
  : readonly [values: { readonly [Name in NamesIn<Text>]: string | number | bigint }];

type Word<Args extends readonly unknown[]> = (...args: Args) => string;

/**
 * Defines an entry of Puppet's own catalogue, lib/puppet/pops/issues.rb. Its name is Puppet's
 * constant. A text has marks for its arguments: `%{name}` is the value, `%{name.a}` the value with
 * its article, `%{name.A}` the same with a capital letter.
 */
export function issue<const Text extends string>(text: Text, options?: IssueOptions): IssueEntry<ValuesOf<Text>>;
export function issue<Args extends readonly unknown[]>(word: Word<Args>, options?: IssueOptions): IssueEntry<Args>;
export function issue(text: string | Word<never>, { severity = 'error', code }: IssueOptions = {}): IssueEntry<never> {
  return { word: wordOf(text), severity, code };
}

/**
 * Defines a text that Puppet's code raises without an issue code (as Puppet::Error or
 * ArgumentError). The entry's name is ours, and users never see it.
 */
export function fault<const Text extends string>(text: Text): IssueEntry<ValuesOf<Text>>;
export function fault<Args extends readonly unknown[]>(word: Word<Args>): IssueEntry<Args>;
export function fault(text: string | Word<never>): IssueEntry<never> {
  return { word: wordOf(text), severity: 'error', code: null };
}

type Values = Readonly<Record<string, string | number | bigint>>;

function wordOf(text: string | Word<never>): Word<never> {
  return typeof text === 'string' ? (values?: Values) => fillIn(text, values) : text;
}

function fillIn(text: string, values: Values = {}): string {
  return text.replace(/%\{(\w+)(?:\.([aA]))?\}/g, (_, name: string, article?: string) => {
    const value = String(values[name]);
    if (article === undefined) return value;
    return article === 'a' ? addLabelArticle(value) : withCapitalArticle(value);
  });
}

/**
 * The entries by name, each as a function that takes the arguments of its text and returns an
 * issue.
 */
type IssueTable<Entries> = {
  readonly [Name in keyof Entries]: Entries[Name] extends IssueEntry<infer Args> ? (...args: Args) => Issue : never;
};

/** Makes a part of the catalogue; each entry is named by its key. */
export function defineIssues<Entries extends Readonly<Record<string, IssueEntry<never>>>>(
  entries: Entries,
): IssueTable<Entries>;
export function defineIssues(
  entries: Readonly<Record<string, IssueEntry<readonly unknown[]>>>,
): Readonly<Record<string, (...args: readonly unknown[]) => Issue>> {
  return Object.fromEntries(
    Object.entries(entries).map(([name, { word, severity, code = name }]) => [
      name,
      (...args: readonly unknown[]): Issue => ({ code: code ?? undefined, severity, text: word(...args) }),
    ]),
  );
}

/**
 * The article for a label, `a` or `an`, by its first letter (behind a quote). Puppet counts y as a
 * vowel.
 */
export function findArticle(label: string): string {
  const letter = /^["']/.test(label) ? label[1] : label[0];
  return letter !== undefined && 'aeiouy'.includes(letter.toLowerCase()) ? 'an' : 'a';
}

/** The label with its article: `a Literal Integer`. */
function addLabelArticle(label: string): string {
  return `${findArticle(label)} ${label}`;
}

/** The label with a capitalized article: `A Literal Integer`. */
export function withCapitalArticle(label: string): string {
  return findArticle(label) === 'an' ? `An ${label}` : `A ${label}`;
}
