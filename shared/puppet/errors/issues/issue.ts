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

/**
 * Defines an entry of Puppet's own catalogue, lib/puppet/pops/issues.rb. Its name is Puppet's
 * constant.
 */
export function issue<Args extends readonly unknown[]>(
  word: (...args: Args) => string,
  { severity = 'error', code }: IssueOptions = {},
): IssueEntry<Args> {
  return { word, severity, code };
}

/**
 * Defines a text that Puppet's code raises without an issue code (as Puppet::Error or
 * ArgumentError). The entry's name is ours, and users never see it.
 */
export function fault<Args extends readonly unknown[]>(word: (...args: Args) => string): IssueEntry<Args> {
  return { word, severity: 'error', code: null };
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
export function addLabelArticle(label: string): string {
  return `${findArticle(label)} ${label}`;
}

/** The label with a capitalized article: `A Literal Integer`. */
export function withCapitalArticle(label: string): string {
  return findArticle(label) === 'an' ? `An ${label}` : `A ${label}`;
}
