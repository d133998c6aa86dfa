import { DEFAULT_LANGUAGE_LEVEL, type LanguageLevel, readLanguageLevel } from './language-level.ts';

/**
 * The language that code is compiled in, and how strictly, as Puppet's settings `strict` and
 * `strict_variables` have it. Puppet 8 has `error` and true by default, Puppet 7 `warning` and
 * false.
 */
export interface Strictness {
  readonly language: LanguageLevel;
  readonly strict: StrictLevel;
  readonly strictVariables: boolean;
  /** Kinds of warnings that are not logged, as in Puppet's setting `disable_warnings`. */
  readonly disabledWarnings?: readonly WarningKind[];
}

export type WarningKind = (typeof WARNING_KINDS)[number];

export const WARNING_KINDS = ['deprecations', 'undefined_variables', 'undefined_resources'] as const;

/** What a compile does where code is doubtful: nothing, warn, or fail. */
export type StrictLevel = (typeof STRICT_LEVELS)[number];

export const STRICT_LEVELS = ['off', 'warning', 'error'] as const;

/** Puppet 8's defaults. */
export const DEFAULT_STRICTNESS: Strictness = {
  language: DEFAULT_LANGUAGE_LEVEL,
  strict: 'error',
  strictVariables: true,
};

/** The variables of functions that compile. */
export const STRICTNESS_VARIABLES = {
  strict: 'UNDERSTUDY_STRICT',
  strictVariables: 'UNDERSTUDY_STRICT_VARIABLES',
} as const;

/**
 * Reads the variables; one that is absent or empty has the default. Throws RangeError that names
 * the variable.
 */
export function readStrictness(variables: Readonly<Record<string, string | undefined>>): Strictness {
  const read = <const T extends string>(name: string, known: readonly T[], usual: T): T => {
    const text = variables[name] || usual;
    const found = known.find((one) => one === text);
    if (found !== undefined) return found;
    throw new RangeError(`${name} must be one of ${known.join(', ')}, not '${text}'`);
  };
  const { strict, strictVariables } = DEFAULT_STRICTNESS;
  return {
    language: readLanguageLevel(variables),
    strict: read(STRICTNESS_VARIABLES.strict, STRICT_LEVELS, strict),
    strictVariables:
      read(STRICTNESS_VARIABLES.strictVariables, ['true', 'false'], strictVariables ? 'true' : 'false') === 'true',
  };
}
