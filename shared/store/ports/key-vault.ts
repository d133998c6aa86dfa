/**
 * Keeps secrets unreadable in the stores: what `seal` returns is stored, `open` gives it back.
 * Front doors and operators have one; compile workers never do.
 */
export interface KeyVault {
  seal(secret: string): Promise<string>;
  /** Throws StoreRefused when this vault did not seal it. */
  open(sealed: string): Promise<string>;
}
