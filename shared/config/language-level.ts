/**
 * The line of releases whose language and texts a compile follows. A server has one for all
 * environments; the policy of an environment may name another. It does not depend on an agent's
 * version: agents of each line apply catalogs of the others.
 */
export type LanguageLevel = (typeof LANGUAGE_LEVELS)[number];

export const LANGUAGE_LEVELS = ['puppet-8', 'openvox-8', 'openvox-9'] as const;

/** OpenVox 8 compiles all that Puppet 8 compiles. */
export const DEFAULT_LANGUAGE_LEVEL: LanguageLevel = 'openvox-8';

/** Null for anything but a level. */
export function parseLanguageLevel(value: unknown): LanguageLevel | null {
  return LANGUAGE_LEVELS.find((one) => one === value) ?? null;
}
