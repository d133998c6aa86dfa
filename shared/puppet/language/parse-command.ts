import { listNodes } from './node-list.ts';
import type { ParseFormat } from './parse-formats.ts';
import { parseProgram } from './parser.ts';
import { printPn } from './pn.ts';

/**
 * The output of `understudy parse`: the program in Puppet Notation, or for each node a line of JSON
 * with its class, and its offset and length in bytes. Throws a `PuppetError` for a syntax error.
 */
export function renderParsed(source: string, file: string | null, format: ParseFormat, epp: boolean): string {
  const program = parseProgram(source, { file, epp });
  if (format === 'pn') return `${printPn(program)}\n`;
  return listNodes(program)
    .map((row) => `${JSON.stringify(row)}\n`)
    .join('');
}
