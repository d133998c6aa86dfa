import type { ReadPlace } from '../../puppet/environment/read-site.ts';
import { quotePattern } from '../../util/literal-pattern.ts';

/** A line of the deployed code that mentions an input. */
export interface ReadingLine {
  /** The path in the code directory. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** The line, without the space around it, at most 160 characters. */
  readonly text: string;
  /** The compile recorded that it read the input here first; else the line mentions it. */
  readonly isFirst?: true;
}

/** A file of code that the compile read. */
export interface ReadText {
  readonly file: string;
  readonly text: string;
}

/** Search pattern: a text that a line must contain, and a pattern that it must match. */
export interface InputPattern {
  readonly word: string;
  readonly pattern: RegExp;
}

const MOST_READERS = 5;
const LONGEST_LINE = 160;

/** Pattern of a fact's name in manifests, templates and data: `$facts['os']['family']`, `%{os}`. */
export function patternOfFact(root: 'facts' | 'trusted', path: readonly string[]): InputPattern | null {
  const [first, ...rest] = path;
  if (first === undefined) return null;
  const indexes = (parts: readonly string[]) =>
    parts.map((part) => `\\[\\s*['"]${quotePattern(part)}['"]\\s*\\]`).join('');
  const dotted = path.map(quotePattern).join('\\.');
  const alternatives = [
    `[$@](?:::)?${root}${indexes(path)}`,
    `%\\{\\s*(?:::)?(?:${root}\\.)?${dotted}\\b`,
    `\\bfact\\(\\s*['"]${dotted}['"]`,
    ...(root === 'facts' ? [`[$@](?:::)?${quotePattern(first)}\\b${indexes(rest)}`] : []),
  ];
  return { word: path.at(-1) ?? first, pattern: new RegExp(alternatives.join('|')) };
}

/** Pattern of a key of data in code: as text in a lookup, or as the parameter of a class. */
export function patternOfKey(key: string): InputPattern {
  const name = key.split('::').at(-1) ?? key;
  return { word: name, pattern: new RegExp(`['"]${quotePattern(key)}['"]`) };
}

/** The manifest that declares the class of a key, and how it declares the parameter; null: none. */
export function parameterOfKey(key: string): { readonly manifest: string; readonly pattern: InputPattern } | null {
  const parts = key.split('::').filter((part) => part !== '');
  const [name, ...inner] = [parts.at(-1) ?? '', ...parts.slice(0, -1)];
  const [module, ...rest] = inner;
  if (module === undefined) return null;
  const path = rest.length === 0 ? 'init' : rest.join('/');
  const pattern = new RegExp(`\\$${quotePattern(name)}\\b`);
  return { manifest: `${module}/manifests/${path}.pp`, pattern: { word: `$${name}`, pattern } };
}

/** Pattern of a module's file in code: a class, a template, a file; null for another file. */
export function patternOfFile(path: string): InputPattern | null {
  const found = /(?:^|\/)(?:modules|site)\/([^/]+)\/(manifests|templates|files|functions|lib|types)\/(.+)$/.exec(path);
  if (found === null) return null;
  const [, module = '', folder = '', rest = ''] = found;
  if (folder === 'manifests' || folder === 'functions' || folder === 'types') {
    const inner = rest.replace(/\.pp$/, '').replaceAll('/', '::');
    const name = inner === 'init' ? module : `${module}::${inner}`;
    return { word: name, pattern: new RegExp(`(?<![\\w:])(?:::)?${quotePattern(name)}(?![\\w:])`, 'i') };
  }
  if (folder === 'lib') {
    const name = rest.replace(/\.rb$/, '').split('/').at(-1) ?? rest;
    return { word: name, pattern: new RegExp(`(?<![\\w:])${quotePattern(name)}(?!\\w)`) };
  }
  return { word: `${module}/${rest}`, pattern: new RegExp(`['"/]${quotePattern(`${module}/${rest}`)}['"]`) };
}

/** The line of a recorded read; null when the text of the file is not at hand. */
export function lineOfRead(
  texts: readonly ReadText[],
  { file, line }: ReadPlace,
  pattern: InputPattern | null,
): ReadingLine | null {
  const found = texts.find((one) => one.file === file);
  if (found === undefined) return null;
  if (line === 0) {
    const [mentioning] = pattern === null ? [] : findReaders([found], pattern);
    return mentioning === undefined ? null : { ...mentioning, isFirst: true };
  }
  const text = found.text.split('\n', line)[line - 1] ?? '';
  return { file, line, text: text.trim().slice(0, LONGEST_LINE), isFirst: true };
}

/** The first lines that mention an input, at most five; `own` is a file that does not count. */
export function findReaders(
  texts: readonly ReadText[],
  { word, pattern }: InputPattern,
  own: string | null = null,
): readonly ReadingLine[] {
  const found: ReadingLine[] = [];
  const wanted = word.toLowerCase();
  for (const { file, text } of texts) {
    if (file === own || !text.toLowerCase().includes(wanted)) continue;
    for (const [index, line] of text.split('\n').entries()) {
      if (/^\s*#/.test(line) || !pattern.test(line)) continue;
      found.push({ file, line: index + 1, text: line.trim().slice(0, LONGEST_LINE) });
      if (found.length === MOST_READERS) return found;
    }
  }
  return found;
}
