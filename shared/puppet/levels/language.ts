import { DIFFERENCES } from './differences.ts';

/** The levels, in the order of the values in the table of differences. */
export const LEVELS = ['puppet-8', 'openvox-8', 'openvox-9'] as const;

export type LevelName = (typeof LEVELS)[number];

type Differences = typeof DIFFERENCES;

/** The values of one level for all differences. */
export type Language = {
  readonly [Name in keyof Differences]: Differences[Name]['values'][number];
} & { readonly level: LevelName };

const LANGUAGES: ReadonlyMap<LevelName, Language> = new Map(
  LEVELS.map((level, index) => {
    const values = Object.entries(DIFFERENCES).map(([name, { values }]) => [name, values[index]]);
    return [level, { level, ...Object.fromEntries(values) } as Language];
  }),
);

/** Returns the values of a level. */
export function languageOf(level: LevelName): Language {
  const language = LANGUAGES.get(level);
  if (language === undefined) throw new RangeError(`there is no language level '${level}'`);
  return language;
}

/** The `User-Agent` of a server of the level. Puppet: http_user_agent in lib/puppet/defaults.rb */
export function userAgentOf({ release, serverRuby }: Language): string {
  return `Puppet/${release} Ruby/${serverRuby}`;
}

/** The language of a server without a setting. */
export const DEFAULT_LANGUAGE = languageOf('openvox-8');
