/**
 * The port by which jobs find tasks. Names and shapes follow Puppet's task specification and the
 * orchestrator API.
 */

/** A task of a deployed environment, as it was found. */
export interface LibraryTask {
  /** `apache` for `init`, else `apache::reload`. */
  readonly name: string;
  readonly environment: string;
  /** The snapshot that has the task; null for a task that is in no environment. */
  readonly codeId: string | null;
  /** The task's JSON file, whole; `{}` without one. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly supportsNoop: boolean;
  /** Names of the parameters whose values may not be shown, logged or stored in clear. */
  readonly sensitive: readonly string[];
  /** Texts of the type aliases that its parameters lead to, by name. */
  readonly aliases: Readonly<Record<string, string>>;
}

/** A file that an agent downloads before it runs a task; the form of a PXP request. */
export interface TaskDownload {
  /** `reload.sh` for an executable, `module/files/x.py` for another file. */
  readonly filename: string;
  /** Path and query at a primary server. */
  readonly uri: { readonly path: string; readonly params: Readonly<Record<string, string>> };
  /** Hexadecimal. */
  readonly sha256: string;
  readonly size_bytes: number;
}

/** Parameters of a task, compared with its metadata. */
export interface CheckedParameters {
  /** Input of the task: the given values, and the metadata's defaults for absent ones. */
  readonly input: Readonly<Record<string, unknown>>;
  /** One message for each parameter that is wrong, missing or unknown; empty when all is well. */
  readonly faults: readonly string[];
}

/** An agent's answer to a task request; an absent text is empty. */
export interface TaskOutput {
  readonly exitcode: number;
  readonly stdout?: string;
  readonly stderr?: string;
}

/** Meaning of an agent's answer for a job. */
export interface TaskOutcome {
  readonly state: 'finished' | 'failed';
  /** The task's JSON object, or `_output` with its text; with `_error` when it failed. */
  readonly result: Readonly<Record<string, unknown>>;
}

/**
 * A task cannot be run as it is deployed: its metadata cannot be read, or a file that it names is
 * missing. The message and its kind are Puppet's.
 */
export class UnusableTask extends Error {
  /** Such as `puppet.tasks/invalid-metadata`. */
  readonly kind: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(kind: string, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = 'UnusableTask';
    this.kind = kind;
    this.details = details;
  }
}

/** The tasks of deployed environments. */
export interface TaskLibrary {
  /**
   * Lists the names of an environment's tasks that are not private; null when the environment is
   * not deployed. A task that cannot be used is listed all the same.
   */
  list(environment: string): Promise<readonly string[] | null>;
  /**
   * Finds a task, private ones included; null when the environment or the task does not exist.
   * Rejects with UnusableTask.
   */
  find(environment: string, name: string): Promise<LibraryTask | null>;
  /** Compares parameters with the task's metadata: Puppet's types, required and unknown ones. */
  checkParameters(task: LibraryTask, parameters: Readonly<Record<string, unknown>>): CheckedParameters;
  /**
   * Lists all files that agents need for the task, in the snapshot in which it was found: its
   * executables first, then its other files. Rejects with UnusableTask.
   */
  filesFor(task: LibraryTask): Promise<readonly TaskDownload[]>;
  /** Reads what an agent answered, as Bolt does (`Result.for_task`). */
  readResult(output: TaskOutput): TaskOutcome;
}
