/** Words that mean the same to a shell without quotes. */
const PLAIN = /^[\w@%+:,./-][\w@%+=:,./-]*$/;

/** A command line for a POSIX shell. */
export function printShellWords(words: readonly string[]): string {
  return words.map(quoteWord).join(' ');
}

function quoteWord(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
