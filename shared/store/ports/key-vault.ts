/**
 * Encrypts secrets before they are stored: store what `seal` returns; `open` decrypts it. Front
 * doors and operators have a vault; compile workers never do.
 */
export interface KeyVault {
  seal(secret: string): Promise<string>;
  /** Throws StoreRefused unless this vault sealed it. */
  open(sealed: string): Promise<string>;
}
