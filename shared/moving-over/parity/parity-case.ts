import { LEVELS, type LevelName } from '../../puppet/levels/language.ts';

/**
 * A parity case, one line of a JSONL file: a piece of Puppet code to evaluate here and with real
 * Puppet, and everything that its evaluation depends on.
 */
export interface ParityCase {
  readonly id: string;
  /**
   * `compile`: a whole catalog, with `source` as the site manifest. `parse`, `parse_epp`: only
   * parsing and checking.
   */
  readonly kind: 'compile' | 'parse' | 'parse_epp';
  /** `@@ROOT@@` stands for the folder that contains `files`. */
  readonly source: string;
  /** The file name in errors of parse kinds. */
  readonly file?: string;
  readonly settings?: CaseSettings;
  /** The language level of the case, or a release (`8.28.1`); absent: the level of the run. */
  readonly language?: string;
  readonly node?: CaseNode;
  /**
   * Environment files: `env/…` is the environment's folder, `global/hiera.yaml` the global layer;
   * other paths are beside these.
   */
  readonly files?: Readonly<Record<string, string>>;
  /** Folders, named as in `files`; `env/modules` by default. */
  readonly modulepath?: readonly string[];
  readonly hiera_config?: string;
  /** The file or folder to compile instead of `source`. */
  readonly manifest?: string;
  readonly no_code?: boolean;
  /**
   * Modules with versions (`puppetlabs-stdlib 9.7.0`): the machine's modules are on the modulepath,
   * after the modules of the case, and report these versions.
   */
  readonly external_modules?: readonly string[];
  readonly storeconfigs?: boolean;
  /** Resources that other nodes exported. */
  readonly db?: readonly CaseExport[];
}

interface CaseSettings {
  readonly disable_warnings?: readonly string[];
  readonly strict?: 'off' | 'warning' | 'error';
  readonly strict_variables?: boolean;
  readonly tasks?: boolean;
}

interface CaseNode {
  readonly name?: string;
  readonly environment?: string;
  readonly server_facts?: boolean;
}

export interface CaseExport {
  readonly type: string;
  readonly title: string;
  readonly certname: string;
  readonly tags?: readonly string[];
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Options of a run that are not part of the case. */
export interface RunOptions {
  /** The folder of the machine's modules. */
  readonly externalModules: string;
  readonly language: LevelName;
}

/**
 * The outcome of an evaluation, with the keys of the recorded cases. `pn` is the syntax tree in
 * Puppet's PN, and `nodes` lists its nodes; both are of parse kinds.
 */
export interface Outcome {
  readonly status: 'ok' | 'error';
  readonly error?: OutcomeError;
  readonly logs?: readonly OutcomeLog[];
  readonly pn?: string;
  readonly nodes?: readonly (readonly (string | number)[])[];
  readonly exported_queries?: readonly { readonly type: string; readonly filter: unknown; readonly host: string }[];
}

export interface OutcomeError {
  readonly message: string;
  /** The message without its location. */
  readonly basic?: string;
  readonly issue_code?: string;
  readonly file?: string;
  readonly line?: number;
  readonly pos?: number;
}

export interface OutcomeLog extends Omit<OutcomeError, 'basic'> {
  readonly level: string;
  readonly source?: string;
}

/** The level of a case: `openvox-9`, or a release such as `8.28.1`. Throws RangeError. */
export function levelOf({ language }: ParityCase, options: RunOptions): LevelName {
  if (language === undefined) return options.language;
  if (/^8\.(?:\d|10)\./.test(language)) return 'puppet-8';
  if (/^8\./.test(language)) return 'openvox-8';
  if (/^9\./.test(language)) return 'openvox-9';
  const found = LEVELS.find((level) => level === language);
  if (found === undefined) throw new RangeError(`there is no language level '${language}'`);
  return found;
}
