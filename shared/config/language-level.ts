/**
 * The line of releases whose language and texts a compile follows. A server has one for all
 * environments; the policy of an environment may name another. It does not depend on an agent's
 * version: agents of each line apply catalogs of the others.
 */
export type LanguageLevel = (typeof LANGUAGE_LEVELS)[number];

export const LANGUAGE_LEVELS = ['puppet-8', 'openvox-8', 'openvox-9'] as const;

/** OpenVox 8 compiles all that Puppet 8 compiles. */
export const DEFAULT_LANGUAGE_LEVEL: LanguageLevel = 'openvox-8';

/** The variable of functions that compile. */
export const LANGUAGE_VARIABLE = 'UNDERSTUDY_LANGUAGE';

/** Null for anything but a level. */
export function parseLanguageLevel(value: unknown): LanguageLevel | null {
  return LANGUAGE_LEVELS.find((one) => one === value) ?? null;
}

/**
 * Reads the variable; the default when it is absent or empty. Throws RangeError that names the
 * variable.
 */
export function readLanguageLevel(variables: Readonly<Record<string, string | undefined>>): LanguageLevel {
  const text = variables[LANGUAGE_VARIABLE] || DEFAULT_LANGUAGE_LEVEL;
  const level = parseLanguageLevel(text);
  if (level !== null) return level;
  throw new RangeError(`${LANGUAGE_VARIABLE} must be one of ${LANGUAGE_LEVELS.join(', ')}, not '${text}'`);
}
