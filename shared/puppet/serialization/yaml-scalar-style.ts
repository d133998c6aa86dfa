/**
 * Chooses the style of a scalar, from libyaml's analysis of its text (emitter.c) and from the style
 * that Psych requests (psych/visitors/yaml_tree.rb).
 */
import { BoundedCache } from '../../util/bounded-cache.ts';
import { readPlainScalar } from './yaml-plain.ts';

export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal';

/** The style that Psych requests for a string. */
function wishFor(text: string): ScalarStyle {
  if (/\n(?!\n?(?![\s\S]))/.test(text)) return 'literal';
  if (/^[yn]$/.test(text)) return 'double';
  if (text === '<<') return 'single';
  if (/^[^\p{L}\p{M}\p{N}\p{Pc}][^"]*$/mu.test(text)) return 'double';
  return isPlainString(text) && !OCTAL_LIKE.test(text) ? 'plain' : 'single';
}

/** A text that Ruby reads as a string, but other YAML readers as a number. */
const OCTAL_LIKE = /^0[0-7]*[89]/;

function isPlainString(text: string): boolean {
  if (text === '' || /^:./.test(text)) return false;
  try {
    return typeof readPlainScalar(text, (name) => name) === 'string';
  } catch {
    return false;
  }
}

interface Allowed {
  readonly plain: boolean;
  readonly single: boolean;
  readonly block: boolean;
}

export function hasLineBreak(text: string): boolean {
  return /[\n\r\u0085\u2028\u2029]/.test(text);
}

function analyse(text: string): Allowed {
  const edge = /^[ \n\r]|[ \n\r]$/.test(text);
  const special = !/^[ -~\n]*$/.test(text) && [...text].some((char) => !isPrintable(char));
  const spaceThenBreak = / [\n\r]/.test(text);
  const breakThenSpace = /[\n\r] /.test(text);
  const none = special || spaceThenBreak;
  return {
    plain: !none && !breakThenSpace && !hasLineBreak(text) && !edge && !hasIndicator(text),
    single: !none && !breakThenSpace,
    block: !none && !/ $/.test(text),
  };
}

/** Whether a text has an indicator that rules out the plain style in block context. */
function hasIndicator(text: string): boolean {
  if (/^(?:---|\.\.\.)/.test(text) || /^[#,[\]{}&*!|>'"%@`]/.test(text)) return true;
  return /^[?:-](?:\s|$)/.test(text) || /:(?:\s|$)/.test(text) || /\s#/.test(text);
}

export function isPrintable(char: string): boolean {
  const code = char.codePointAt(0) ?? 0;
  if (code === 0x0a || code === 0x85 || (code >= 0x20 && code <= 0x7e)) return true;
  // Characters beyond the basic plane count as unprintable.
  return (code >= 0xa0 && code < 0xfeff && !(code >= 0xd800 && code <= 0xdfff)) || (code > 0xfeff && code <= 0xfffd);
}

/** Short texts, such as the keys of hashes, occur in one document after the other. */
const LONGEST_KNOWN = 40;
const known = new BoundedCache<ScalarStyle>(4000);

/** libyaml: yaml_emitter_select_scalar_style */
export function styleOfString(text: string): ScalarStyle {
  if (text.length > LONGEST_KNOWN) return chooseStyle(text);
  const found = known.get(text);
  if (found !== undefined) return found;
  const style = chooseStyle(text);
  known.set(text, style);
  return style;
}

function chooseStyle(text: string): ScalarStyle {
  const allowed = analyse(text);
  const wish = wishFor(text);
  if (wish === 'literal') return allowed.block ? 'literal' : 'double';
  if (wish === 'plain' && allowed.plain) return 'plain';
  if (wish === 'double') return 'double';
  return allowed.single ? 'single' : 'double';
}
