/** Finds comments wider than 100 columns; the formatter does not wrap them. Exit code 1 if any. */
import { sourceFiles } from '../helpers/source-files.ts';

const MOST_COLUMNS = 100;
const COMMENT = /^\s*(\/\/|\/\*|\*)/;
/** Directives of the linter stand on one line, however long their reason is. */
const DIRECTIVE = /^\s*\/\/ biome-ignore/;

const wide = sourceFiles(['functions', 'infra', 'shared', 'test']).flatMap(({ path, text }) =>
  text.split('\n').flatMap((line, index) => {
    const isWide = line.length > MOST_COLUMNS && COMMENT.test(line) && !DIRECTIVE.test(line);
    return isWide ? [`${path}:${index + 1}: comment of ${line.length} columns`] : [];
  }),
);
if (wide.length > 0) {
  process.stderr.write(`${wide.join('\n')}\nComments have at most ${MOST_COLUMNS} columns\n`);
  process.exitCode = 1;
}
