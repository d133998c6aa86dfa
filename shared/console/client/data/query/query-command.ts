/** The command that asks the same on the command line, for a POSIX shell. */
export function writeQueryCommand(pql: string): string {
  return `understudy query '${pql.replaceAll("'", `'\\''`)}'`;
}
