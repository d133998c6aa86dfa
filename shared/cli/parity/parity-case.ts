/**
 * A parity case: a piece of Puppet code and everything that its evaluation depends on, as a line of
 * a JSONL file.
 */
export interface ParityCase {
  readonly id: string;
  /** A whole catalog compile with `source` as the site manifest, or parsing and checking only. */
  readonly kind: 'compile' | 'parse' | 'parse_epp';
  /** `@@ROOT@@` stands for the folder that `files` are under. */
  readonly source: string;
  /** The file name that errors of parse kinds show. */
  readonly file?: string;
  readonly settings?: CaseSettings;
  readonly node?: CaseNode;
  /**
   * Environment files: `env/…` is the environment's folder, `global/hiera.yaml` the global layer,
   * others lie beside.
   */
  readonly files?: Readonly<Record<string, string>>;
  /** Keys as in `files`; default `env/modules`. */
  readonly modulepath?: readonly string[];
  readonly hiera_config?: string;
  /** Compile this file, or folder, instead of `source`. */
  readonly manifest?: string;
  readonly no_code?: boolean;
  /**
   * Modules with their versions (`puppetlabs-stdlib 9.7.0`): the machine's modules are on the
   * modulepath, behind the case's own, and say that they are of these versions.
   */
  readonly external_modules?: readonly string[];
  readonly storeconfigs?: boolean;
  /** What other nodes exported. */
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

/** What a case is run with besides itself. */
export interface RunOptions {
  /** The folder of the machine's modules. */
  readonly externalModules: string;
}

/** Outcomes of an evaluation in the cases' shape; keys are those of the wire. */
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
