import type { YamlText } from './yaml-text.ts';
import { type Mark, YamlSyntaxError, type YamlToken } from './yaml-tokens.ts';

/**
 * Scans an anchor or alias; the cursor is on its indicator. Like the whole file, it follows
 * libyaml's scanner.
 */
export function scanName(text: YamlText, kind: 'alias' | 'anchor'): YamlToken {
  const start = text.mark;
  text.skip();
  const name = text.takeWhile((character) => /[0-9A-Za-z_-]/.test(character));
  if (name === '' || !(text.isBlankOrEnd() || '?:,]}%@`'.includes(text.charAt()))) {
    const context = `while scanning an ${kind}`;
    throw new YamlSyntaxError('did not find expected alphabetic or numeric character', context, start);
  }
  return { kind, start, name };
}

/** Scans a tag: `!<uri>`, `!handle!suffix`, `!suffix` or `!`. */
export function scanTag(text: YamlText, inFlow: boolean): YamlToken {
  const start = text.mark;
  const { handle, suffix } = text.charAt(1) === '<' ? scanVerbatimTag(text, start) : scanShortTag(text);
  if (!text.isBlankOrEnd() && !(inFlow && text.charAt() === ',')) {
    throw tagError('did not find expected whitespace or line break', start);
  }
  return { kind: 'tag', start, handle, suffix: decodeTag(suffix) };
}

function isUri(character: string): boolean {
  return /[0-9A-Za-z_\-;/?:@&=+$.%!~*'()[\],]/.test(character);
}

function scanVerbatimTag(text: YamlText, start: Mark): { readonly handle: string; readonly suffix: string } {
  text.skip(2);
  const suffix = text.takeWhile(isUri);
  if (text.charAt() !== '>') throw tagError("did not find the expected '>'", start);
  text.skip();
  return { handle: '', suffix };
}

/** Scans a tag in short form. Only verbatim tags may contain commas and brackets. */
function scanShortTag(text: YamlText): { readonly handle: string; readonly suffix: string } {
  const whole = text.takeWhile((character) => isUri(character) && !',[]'.includes(character));
  if (whole === '!') return { handle: '', suffix: '!' };
  const [, handle = '!', suffix = whole.slice(1)] = /^(![0-9A-Za-z_-]*!)(.+)$/.exec(whole) ?? [];
  return { handle, suffix };
}

/** Scans a `%YAML` or `%TAG` line; the cursor is on the percent sign. */
export function scanDirective(text: YamlText): YamlToken {
  const start = text.mark;
  let line = '';
  while (!text.isLineEnd()) line += text.take();
  const [, major, minor] = /^%YAML\s+(\d+)\.(\d+)\s*(#.*)?$/.exec(line) ?? [];
  if (major !== undefined) return { kind: 'yaml-directive', start, major: Number(major), minor: Number(minor) };
  const [, handle, prefix] = /^%TAG\s+(!(?:[0-9A-Za-z_-]*!)?)\s+(\S+)\s*(#.*)?$/.exec(line) ?? [];
  if (handle === undefined || prefix === undefined) throw directiveError(line, start);
  return { kind: 'tag-directive', start, handle, prefix };
}

function decodeTag(suffix: string): string {
  return suffix.replace(/(?:%[0-9A-Fa-f]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString());
}

function directiveError(line: string, start: Mark): YamlSyntaxError {
  const [, name, next = ''] = /^%([0-9A-Za-z_-]*)(.?)/su.exec(line) ?? [];
  if (name === 'TAG' && (next === '' || /\s/.test(next))) return tagDirectiveError(line, start);
  if (name === 'YAML' && /\s/.test(next)) {
    const problem = /^%YAML\s+\d+\.\d+/.test(line)
      ? ['did not find expected comment or line break', 'while scanning a directive']
      : /^%YAML\s+\d+$/.test(line)
        ? ["did not find expected digit or '.' character", 'while scanning a %YAML directive']
        : ['did not find expected version number', 'while scanning a %YAML directive'];
    return new YamlSyntaxError(problem[0] ?? '', problem[1] ?? null, start);
  }
  const problem = !name
    ? 'could not find expected directive name'
    : next === '' || /\s/.test(next)
      ? 'found unknown directive name'
      : 'found unexpected non-alphabetical character';
  return new YamlSyntaxError(problem, 'while scanning a directive', start);
}

/**
 * Successive prefixes of a valid `%TAG` line. The first pattern that fails selects libyaml's
 * problem and context.
 */
const TAG_DIRECTIVE_PARTS: readonly (readonly [isRight: RegExp, problem: string, context: string])[] = [
  [/^!/, "did not find expected '!'", 'while scanning a tag directive'],
  [/^!(?:[0-9A-Za-z_-]*!|(?![0-9A-Za-z_-]))/, "did not find expected '!'", 'while parsing a tag directive'],
  [/^!(?:[0-9A-Za-z_-]*!)?\s/, 'did not find expected whitespace', 'while scanning a %TAG directive'],
  [/^\S+\s+\S/, 'did not find expected tag URI', 'while parsing a %TAG directive'],
];

function tagDirectiveError(line: string, start: Mark): YamlSyntaxError {
  const value = line.replace(/^%TAG\s*/, '');
  const wrong = TAG_DIRECTIVE_PARTS.find(([isRight]) => !isRight.test(value));
  const [, problem = 'did not find expected comment or line break', context = 'while scanning a directive'] =
    wrong ?? [];
  return new YamlSyntaxError(problem, context, start);
}

function tagError(problem: string, start: Mark): YamlSyntaxError {
  return new YamlSyntaxError(problem, 'while scanning a tag', start);
}
