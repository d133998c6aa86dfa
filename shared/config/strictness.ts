import { DEFAULT_LANGUAGE_LEVEL, type LanguageLevel } from './language-level.ts';

/**
 * The language level that code is compiled at, and Puppet's settings `strict` and
 * `strict_variables`. Puppet 8 defaults to `error` and true, Puppet 7 to `warning` and false.
 */
export interface Strictness {
  readonly language: LanguageLevel;
  readonly strict: StrictLevel;
  readonly strictVariables: boolean;
  /** Kinds of warnings that are not logged, as in Puppet's setting `disable_warnings`. */
  readonly disableWarnings?: readonly WarningKind[] | undefined;
}

type WarningKind = (typeof WARNING_KINDS)[number];

export const WARNING_KINDS = ['deprecations', 'undefined_variables', 'undefined_resources'] as const;

/** Reaction of a compile to doubtful code: none, a warning, or an error. */
export type StrictLevel = (typeof STRICT_LEVELS)[number];

export const STRICT_LEVELS = ['off', 'warning', 'error'] as const;

/** Puppet 8's defaults. */
export const DEFAULT_STRICTNESS: Strictness = {
  language: DEFAULT_LANGUAGE_LEVEL,
  strict: 'error',
  strictVariables: true,
};
