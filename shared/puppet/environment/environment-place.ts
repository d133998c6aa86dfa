/**
 * The location of an environment, from which environment.conf resolves variables and relative
 * paths.
 */
export interface EnvironmentPlace {
  readonly name: string;
  /** The environment's folder. */
  readonly root: string;
  /** The code directory. */
  readonly codeDirectory: string;
  /** Module folders that all environments share (`$basemodulepath`). */
  readonly baseModulepath: readonly string[];
}
