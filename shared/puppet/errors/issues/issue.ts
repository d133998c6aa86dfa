/**
 * The shape of the issue catalogue. An entry is the wording of one complaint; calling it with its
 * arguments makes an issue to raise, report or log.
 */

/** How severe an issue is that the checks of a program find; `strict`: as that setting says. */
export type IssueSeverity = 'error' | 'deprecation' | 'strict';

/** A worded complaint: `new PuppetError(issue, place)` raises it. */
export interface Issue {
  /** The code that users see; undefined where Puppet raises the text without one. */
  readonly code: string | undefined;
  /** Puppet's text, without a place. */
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
  /** `error` unless given. */
  readonly severity?: IssueSeverity;
  /** The code where it is not the entry's name. */
  readonly code?: string;
}

/** An entry of Puppet's own catalogue, lib/puppet/pops/issues.rb. Its name is Puppet's constant. */
export function issue<Args extends readonly unknown[]>(
  word: (...args: Args) => string,
  { severity = 'error', code }: IssueOptions = {},
): IssueEntry<Args> {
  return { word, severity, code };
}

/**
 * A text that Puppet's code raises without an issue code (a Puppet::Error, an ArgumentError). The
 * entry's name is ours, and no user sees it.
 */
export function fault<Args extends readonly unknown[]>(word: (...args: Args) => string): IssueEntry<Args> {
  return { word, severity: 'error', code: null };
}

/** The entries by name, each as a function from the arguments of its text to an issue. */
type IssueTable<Entries> = {
  readonly [Name in keyof Entries]: Entries[Name] extends IssueEntry<infer Args> ? (...args: Args) => Issue : never;
};

/** Names the entries of a part of the catalogue by their keys. */
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
