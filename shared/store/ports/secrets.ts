/**
 * Encrypts texts before they are stored that compiles read again. Unlike a KeyVault, compile
 * workers have it.
 */
export interface TextSeal {
  seal(text: string): string;
  /** Throws StoreRefused for a text that another seal made. */
  open(sealed: string): string;
}

/**
 * Encrypts secrets before they are stored: store what `seal` returns; `open` decrypts it. Front
 * doors and operators have a vault; compile workers never do.
 */
export interface KeyVault {
  seal(secret: string): Promise<string>;
  /** Throws StoreRefused unless this vault sealed it. */
  open(sealed: string): Promise<string>;
}

/** The source of secrets and ids that nobody can guess. */
export interface SecretSource {
  /** Returns `count` random bytes. */
  bytes(count: number): Uint8Array;
}
