/** The source of secrets and ids that nobody can guess. */
export interface SecretSource {
  /** Returns `count` random bytes. */
  bytes(count: number): Uint8Array;
}
