import { ISSUES } from '../errors/issues/catalogue.ts';
import type { Issue } from '../errors/issues/issue.ts';

/** A piece of template text, up to a tag that switches to code or to the end. */
interface EppText {
  /** The text to render; null when there is none. */
  readonly text: string | null;
  /**
   * The next part: statements (`<%`, `<%-`), an expression to render (`<%=`), or the end of the
   * template.
   */
  readonly mode: 'statements' | 'expression' | 'end';
  readonly end: number;
}

interface EppProblem {
  readonly issue: Issue;
  readonly end: number;
}

/**
 * Scans template text from `from`. With `skipLeading`, which applies behind a `-%>`, it drops white
 * space up to and including the first line break.
 */
export function scanEppText(source: string, from: number, skipLeading: boolean): EppText | EppProblem {
  let text = '';
  let at = from;
  let skips = skipLeading;
  while (at < source.length) {
    const tag = source.indexOf('<%', at);
    const end = tag < 0 ? source.length : tag + 2;
    let part = source.slice(at, end);
    if (skips) part = part.replace(/^[ \t]*\r?\n?/, '');
    skips = false;
    text += part.replaceAll('%%>', '%>');
    if (end >= source.length) {
      return text.endsWith('<%') ? { issue: ISSUES.EPP_UNBALANCED_EXPRESSION(), end } : { text, mode: 'end', end };
    }
    const code = switchToCode(source, end, text);
    if (code) return code;
    if (source[end] === '%') {
      at = end + 1;
      continue;
    }
    const close = commentEnd(source, end);
    if (close < 0) return { issue: ISSUES.EPP_UNBALANCED_COMMENT(), end };
    text = text.slice(0, -2);
    if (source[end + 1] === '-') text = text.replace(/(?<![ \t])[ \t]+$/, '');
    skips = source.startsWith('-%>', close - 3);
    at = close;
  }
  // Puppet: text before a comment or an escaped tag at the end of the template is lost,
  // lib/puppet/pops/parser/epp_support.rb.
  return { text: null, mode: 'end', end: at };
}

function switchToCode(source: string, end: number, text: string): EppText | null {
  switch (source[end]) {
    case '-':
      return { text: text.replace(/[ \t]*<%$/, ''), mode: 'statements', end: end + 1 };
    case '=':
      return { text: text.slice(0, -2), mode: 'expression', end: end + 1 };
    case '%':
    case '#':
      return null;
    default:
      return { text: text.slice(0, -2), mode: 'statements', end };
  }
}

/**
 * The end of the `%>` that closes the comment whose `#` is at `from`; -1 when there is none. A `%>`
 * with a `%` before it does not close a comment.
 */
function commentEnd(source: string, from: number): number {
  for (let at = source.indexOf('%>', from + 1); at >= 0; at = source.indexOf('%>', at + 1)) {
    if (source[at - 1] !== '%') return at + 2;
  }
  return -1;
}
