import type { Node, Program } from './ast.ts';
import { forEachChild } from './walk.ts';

/**
 * The class of a node, with its offset and length in bytes of the UTF-8 source. The program has
 * neither.
 */
type NodeRow = readonly [kind: string, offset: number, length: number] | readonly [kind: string];

/** Lists all nodes of a program, parents before children, in the order of Puppet's model. */
export function listNodes(program: Program): NodeRow[] {
  const byteAt = byteOffsets(program.locator.source);
  const rows: NodeRow[] = [['Program']];
  const visit = (node: Node): void => {
    const start = byteAt(node.offset);
    rows.push([node.kind, start, byteAt(node.offset + node.length) - start]);
    forEachChild(node, visit);
  };
  forEachChild(program, visit);
  return rows;
}

/** Maps offsets of a text to byte offsets of its UTF-8 form. */
function byteOffsets(source: string): (offset: number) => number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
  if (/^[\u0000-\u007f]*$/.test(source)) return (offset) => offset;
  const bytes = new Int32Array(source.length + 1);
  for (let at = 0, sum = 0; at < source.length; at++) {
    const code = source.charCodeAt(at);
    const isSurrogate = code >= 0xd800 && code < 0xe000;
    sum += code < 0x80 ? 1 : code < 0x800 || isSurrogate ? 2 : 3;
    bytes[at + 1] = sum;
  }
  return (offset) => bytes[Math.min(offset, source.length)] ?? 0;
}
