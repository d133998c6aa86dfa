/**
 * Encrypts texts before they are stored that compiles read again. Unlike a KeyVault, compile
 * workers have it.
 */
export interface TextSeal {
  seal(text: string): string;
  /** Throws StoreRefused for a text that another seal made. */
  open(sealed: string): string;
}
