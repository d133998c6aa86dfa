/** Reads an allow list: one certname a line; `#` begins a comment. */
export function readAllowList(text: string): ReadonlySet<string> {
  const lines = text.split('\n').map((line) => line.replace(/#.*/, '').trim());
  return new Set(lines.filter((line) => line !== ''));
}
