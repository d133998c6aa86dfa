/** Instructions that consume text or test a position. */
import { foldCharacter } from './case-folding.ts';
import { isWordCharacter } from './charsets.ts';
import type { Consumer } from './match-steps.ts';
import type { AnchorType } from './pattern.ts';

/** The part of a search that an instruction sees. */
export interface MatchState {
  readonly text: string;
  /** The start of the search. */
  readonly from: number;
  /** Starts and ends, by group number; -1 for groups that did not participate. */
  readonly groups: readonly number[];
}

/** The position behind what the instruction matches at `at`; -1 when it does not match. */
export function consume(node: Consumer, state: MatchState, at: number): number {
  switch (node.kind) {
    case 'char': {
      const code = state.text.codePointAt(at);
      return code === node.code ? at + (code > 0xffff ? 2 : 1) : -1;
    }
    case 'set': {
      const code = state.text.codePointAt(at);
      if (code === undefined) return -1;
      if (code < 0x80) return node.ascii[code] === 1 ? at + 1 : -1;
      return node.includes(code) ? at + (code > 0xffff ? 2 : 1) : -1;
    }
    case 'folded': {
      const code = state.text.codePointAt(at);
      if (code === undefined || foldCharacter(code) !== node.code) return -1;
      return at + (code > 0xffff ? 2 : 1);
    }
    case 'anchor':
      return isAtAnchor(node.type, state, at, node.ascii) ? at : -1;
    case 'backreference':
      return consumeGroup(node.groups, node.ignoreCase, state, at);
    case 'grapheme':
      return consumeGrapheme(state.text, at);
  }
}

export function sizeAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

/** The position `count` characters before; null when the text starts later. */
export function stepBack(text: string, at: number, count: number): number | null {
  let start = at;
  for (let left = count; left > 0; left -= 1) {
    if (start === 0) return null;
    start -= start > 1 && (text.codePointAt(start - 2) ?? 0) > 0xffff ? 2 : 1;
  }
  return start;
}

function isAtAnchor(type: AnchorType, { text, from }: MatchState, at: number, ascii: boolean): boolean {
  switch (type) {
    case 'lineStart':
      return at === 0 || (text[at - 1] === '\n' && at < text.length);
    case 'lineEnd':
      return at === text.length || text[at] === '\n';
    case 'textStart':
      return at === 0;
    case 'textEnd':
      return at === text.length;
    case 'textEndBeforeNewline':
      return at === text.length || (at === text.length - 1 && text[at] === '\n');
    case 'searchStart':
      return at === from;
    default: {
      const start = stepBack(text, at, 1);
      const before = start !== null && isWordCharacter(text.codePointAt(start) ?? 0, ascii);
      const after = at < text.length && isWordCharacter(text.codePointAt(at) ?? 0, ascii);
      return (before !== after) === (type === 'wordBoundary');
    }
  }
}

function consumeGroup(groups: readonly number[], ignoreCase: boolean, state: MatchState, at: number): number {
  const group = [...groups].reverse().find((each) => (state.groups[each * 2 + 1] ?? -1) >= 0);
  if (group === undefined) return -1;
  const wanted = state.text.slice(state.groups[group * 2], state.groups[group * 2 + 1]);
  const given = state.text.slice(at, at + wanted.length);
  const isSame = ignoreCase ? foldCase(given) === foldCase(wanted) : given === wanted;
  return isSame ? at + wanted.length : -1;
}

function foldCase(text: string): string {
  return [...text].map((char) => String.fromCodePoint(foldCharacter(char.codePointAt(0) ?? 0))).join('');
}

/** Created lazily, because the start image cannot contain a segmenter. */
let graphemes: Intl.Segmenter | undefined;
/** More characters than a grapheme that occurs in texts. */
const LONGEST_GRAPHEME = 1000;

function consumeGrapheme(text: string, at: number): number {
  graphemes ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  const [first] = graphemes.segment(text.slice(at, at + LONGEST_GRAPHEME));
  return first === undefined ? -1 : at + first.segment.length;
}
