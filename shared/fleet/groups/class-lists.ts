/** The parameters of a class by name, with their literal defaults; null without one. */
export type DeclaredParameters = ReadonlyMap<string, unknown>;
export type DeclaredClasses = ReadonlyMap<string, DeclaredParameters>;

/** The classes of the deployed code: what groups can declare. */
export interface ClassLists {
  /** The classes of an environment; null when it is not deployed. */
  find(environment: string): Promise<DeclaredClasses | null>;
  /** The deployed environments with the time of their deploy in milliseconds since the epoch. */
  listEnvironments(): Promise<readonly { readonly name: string; readonly deployedAt: number }[]>;
}
