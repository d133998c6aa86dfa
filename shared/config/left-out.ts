/** Names of files and folders of version control and editors, which a deploy leaves out. */
export const USUALLY_LEFT_OUT: readonly string[] = ['.git', '.svn', '.hg', '.DS_Store', '.puppet-lint.cache'];

/** Reads the setting `leaveOut`: names, separated by commas, or `none`. */
export function readLeftOut(text: string): readonly string[] {
  if (text.trim() === 'none') return [];
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
