/** A difference between the levels. */
interface Difference<T> {
  /** The values at Puppet 8 (8.10), OpenVox 8 (8.28) and OpenVox 9, in this order. */
  readonly values: readonly [T, T, T];
  /** The release and the file that brought it. */
  readonly source: string;
}

/** Widens literals: the values of a row differ. */
const row = <const T>(values: readonly [T, T, T], source: string): Difference<T> => ({ values, source });

/**
 * All that differs between the levels. Code asks for the name of a difference, never for a
 * release. `test/fixtures/judged/levels.json` and `test/shared/puppet/ruby/ruby40.test.ts` have
 * cases.
 */
const DIFFERENCES = {
  release: row(['8.10.0', '8.28.1', '9.0.0'], 'lib/puppet/version.rb'),
  /** The implementation of the server, as facts and variables have it; null: they have none. */
  implementation: row([null, 'openvox', 'openvox'], 'OpenVox 8.19.2, lib/puppet/node.rb'),
  /** The name of the product in messages. */
  product: row(['Puppet', 'Puppet', 'OpenVox'], 'OpenVox 9.0.0-beta1, lib/puppet/pops/issues.rb'),
  /** The word by which messages name the server. */
  serverWord: row(['master', 'master', 'server'], 'OpenVox 9.0.0-beta1, lib/puppet/indirector/catalog/compiler.rb'),
  hieraFunctionsPage: row(
    [
      'https://puppet.com/docs/puppet/8.10/deprecated_language.html',
      'https://puppet.com/docs/puppet/8.28/deprecated_language.html',
      'https://docs.openvoxproject.org/openvox/latest/deprecated_language.html',
    ],
    'OpenVox 9.0.0-beta1, lib/puppet/functions/hiera.rb',
  ),
  legacyFunctionsPage: row(
    [
      'https://puppet.com/docs/puppet/latest/functions_refactor_legacy.html',
      'https://puppet.com/docs/puppet/latest/functions_refactor_legacy.html',
      'https://docs.openvoxproject.org/openvox/latest/functions_refactor_legacy.html',
    ],
    'OpenVox 9.0.0-beta1, lib/puppet/pops/loader/ruby_legacy_function_instantiator.rb',
  ),
  /**
   * Whether Ruby code of modules sees Ruby 4.0 instead of 3.1: `inspect` of hashes and sets, words
   * of errors, and methods that are gone.
   */
  ruby40: row([false, false, true], 'OpenVox Server 9.0.0-beta2, JRuby 10.1; NEWS of Ruby 3.2 to 4.0'),
  /** Version, patch level and platform of the server's Ruby, in its User-Agent. */
  serverRuby: row(
    ['3.1.4-p0 (java)', '3.1.7-p0 (java)', '4.0.0-p0 (java)'],
    'JRuby of the servers 8.7 (9.4.8), 8.15 (9.4.15) and 9.0.0-beta2 (10.1.1), default.build.properties',
  ),
  /** Whether reading the file bucket takes a certificate of an administrator. */
  administratorsReadBucket: row([false, false, true], 'OpenVox Server 9.0.0-beta3, conf.d/auth.conf'),
  /** Whether the wrappers of ENV in `Puppet::Util` warn of their deprecation. */
  envWrappersDeprecated: row([false, false, true], 'OpenVox 9.0.0-beta1, lib/puppet/util.rb'),
  /** Whether `regsubst` takes sensitive texts. */
  regsubstOfSensitive: row([false, true, true], 'OpenVox 8.26, lib/puppet/functions/regsubst.rb'),
  /** Whether `regsubst` takes an encoding, which it ignores. */
  regsubstEncoding: row([true, true, false], 'OpenVox 9.0.0-beta1, lib/puppet/functions/regsubst.rb'),
  /** Whether the name of a node statement has the groups of its pattern in lower case. */
  nodePatternsInLowerCase: row([false, true, true], 'OpenVox 8.28.1, lib/puppet/resource/type.rb'),
  /** Whether `package` has the parameter `environment`. */
  packageEnvironment: row([false, true, true], 'OpenVox 8.26, lib/puppet/type/package.rb'),
  /** Whether `etag` is a type of checksums. */
  etagChecksums: row([false, true, true], 'OpenVox 8.26, lib/puppet/util/checksums.rb'),
  /** Whether the type `zone` is there without its module. */
  vendoredZone: row([true, true, false], 'OpenVox 9.0.0-beta1, packages without zone_core'),
  /** Whether environment.conf may name a data provider. */
  environmentDataProvider: row([true, true, false], 'OpenVox 9.0.0-beta1, lib/puppet/settings/environment_conf.rb'),
  /** Settings of Puppet 8 that a level has no more. */
  settingsGone: row<readonly string[]>(
    [[], [], ['configprint', 'data_binding_terminus', 'environment_data_provider', 'pluginsync']],
    'OpenVox 9.0.0-beta1, lib/puppet/defaults.rb',
  ),
  /** Defaults of settings that differ from those of Puppet 8. */
  settingDefaults: row<Readonly<Record<string, string | boolean>>>(
    [{}, {}, { preprocess_deferred: true, reports: 'none' }],
    'OpenVox 9.0.0-beta1, lib/puppet/defaults.rb',
  ),
} as const;

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
