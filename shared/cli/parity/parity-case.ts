/**
 * A parity case, one line of a JSONL file: a piece of Puppet code and everything that its
 * evaluation depends on.
 */
export interface ParityCase {
  readonly id: string;
  /**
   * `compile`: a whole catalog, with `source` as the site manifest. Others: only parsing and
   * checking.
   */
  readonly kind: 'compile' | 'parse' | 'parse_epp';
  /** `@@ROOT@@` stands for the folder that contains `files`. */
  readonly source: string;
  /** The file name in errors of parse kinds. */
  readonly file?: string;
  readonly settings?: CaseSettings;
  readonly node?: CaseNode;
  /**
   * Environment files: `env/…` is the environment's folder, `global/hiera.yaml` the global layer;
   * other paths are beside these.
   */
  readonly files?: Readonly<Record<string, string>>;
  /** Keys as in `files`; `env/modules` by default. */
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

export interface CaseSettings {
  readonly strict?: 'off' | 'warning' | 'error';
  readonly strict_variables?: boolean;
  readonly tasks?: boolean;
}

export interface CaseNode {
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
}

/** The outcome of an evaluation, with the keys of the recorded cases. */
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
