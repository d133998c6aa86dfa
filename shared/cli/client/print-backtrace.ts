/** Prints the lines of module Ruby that a failure comes from, to stand below its message. */
export function printBacktrace(backtrace: readonly string[] = []): readonly string[] {
  return backtrace.map((line) => `  from ${line}`);
}
