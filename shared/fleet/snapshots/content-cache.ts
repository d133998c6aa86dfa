/** Contents of files in memory by their sha256; equal contents of several snapshots are one. */
export class ContentCache {
  bytes = 0;
  readonly #contents = new Map<string, Uint8Array>();

  has(sha256: string): boolean {
    return this.#contents.has(sha256);
  }

  get(sha256: string): Uint8Array | null {
    return this.#contents.get(sha256) ?? null;
  }

  add(sha256: string, content: Uint8Array): void {
    if (this.#contents.has(sha256)) return;
    this.#contents.set(sha256, content);
    this.bytes += content.length;
  }

  /** Deletes all contents that are not in `used`. */
  retain(used: ReadonlySet<string>): void {
    for (const [sha256, content] of this.#contents) {
      if (used.has(sha256)) continue;
      this.#contents.delete(sha256);
      this.bytes -= content.length;
    }
  }
}
