import type { TitlePattern } from '../../evaluator/ports.ts';
import { rubyMethod } from '../ruby-code.ts';

const PATTERN =
  /(?:%r\{((?:\\.|\{[^{}]*\}|[^{}\\])*)\}|\/((?:\\.|[^/\\\n])+)\/)([mix]*)\s*,\s*\[((?:[^[\]]|\[[^[\]]*\])*)\]/g;
const REGEXP = /^(?:Regexp\.new\s*\(?\s*)?(?:%r\{((?:\\.|\{[^{}]*\}|[^{}\\])*)\}|\/((?:\\.|[^/\\\n])+)\/)\s*\)?$/;
const ASSIGNMENT = /^[ \t]*(\w+)[ \t]*(\+?=)[ \t]*(\S.*)$/gm;
const CALL = /^(?:[A-Z]\w*(?:::|\.))*([a-z]\w*)(?:\((.*)\))?$/;

/** The value of a local variable in a method that builds patterns. */
type Known =
  | { readonly kind: 'regexp'; readonly source: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'attribute'; readonly name: string }
  | { readonly kind: 'list'; readonly items: readonly Known[] };

/**
 * Reads the title patterns in the Ruby `code` that defines a type: literals, and patterns built
 * from local variables and methods. The methods are in `code` or in `required`, the code of files
 * that it requires. Null when there are no patterns, or when they cannot be determined.
 */
export function readTitlePatterns(code: string, required: string): readonly TitlePattern[] | null {
  const method = rubyMethod(code, 'title_patterns');
  if (method) return new PatternReader(`${code}\n${required}`).read(method.body, new Map(), 0);
  const start = code.search(/\btitle_patterns(?::|\s*=>)/);
  return start < 0 ? null : apiPatterns(code.slice(start));
}

const API_PATTERN = /pattern(?::|\s*=>)\s*(?:%r\{((?:\\.|\{[^{}]*\}|[^{}\\])*)\}|\/((?:\\.|[^/\\\n])+)\/)([mix]*)/g;

/** Reads patterns of the Resource API: named groups name the attributes. */
function apiPatterns(code: string): readonly TitlePattern[] | null {
  const patterns = [...code.matchAll(API_PATTERN)].map(([, braced, slashed, flags = '']) => {
    const source = braced ?? slashed ?? '';
    return withFlags(source.replace(/\(\?<\w+>/g, '('), flags, namesOfGroups(source));
  });
  return patterns.length > 0 ? patterns : null;
}

function namesOfGroups(source: string): string[] {
  return [...source.matchAll(/\(\?<(\w+)>/g)].map((group) => group[1] ?? '');
}

function withFlags(source: string, flags: string, groups: readonly string[]): TitlePattern {
  return { pattern: flags === '' ? source : `(?${flags}:${source})`, groups };
}

/** Reads the patterns that a method returns, by its source text. */
class PatternReader {
  readonly #code: string;

  constructor(code: string) {
    this.#code = code;
  }

  /** `given`: values of parameters. `depth`: calls so far, which are followed four deep. */
  read(body: string, given: ReadonlyMap<string, Known>, depth: number): readonly TitlePattern[] | null {
    const locals = new Map(given);
    for (const [, name = '', operator, text = ''] of body.matchAll(ASSIGNMENT)) {
      const value = this.#readValue(text, locals);
      const old = locals.get(name);
      if (operator === '+=' && old?.kind === 'list' && value?.kind === 'list') {
        locals.set(name, { kind: 'list', items: [...old.items, ...value.items] });
      } else if (value) locals.set(name, value);
    }
    const patterns = [...body.matchAll(PATTERN)].map((match) => patternOf(match, locals));
    if (patterns.length > 0) return patterns.every((pattern) => pattern !== null) ? patterns : null;
    return depth > 3 ? null : this.#readCalled(body.trim(), locals, depth);
  }

  /** Reads the patterns of the method that the body calls and does nothing else. */
  #readCalled(body: string, locals: ReadonlyMap<string, Known>, depth: number): readonly TitlePattern[] | null {
    const [, name = '', list = ''] = CALL.exec(body) ?? [];
    const method = name === '' ? null : rubyMethod(this.#code, name);
    if (!method) return null;
    const args = list.split(',').map((text) => this.#readValue(text.trim(), locals));
    const head = new RegExp(`def (?:self\\.)?${name}\\b[ (]*([^)\\n]*)`).exec(this.#code)?.[1] ?? '';
    const bound = new Map<string, Known>();
    for (const [, parameter = '', text = ''] of head.matchAll(/(\w+)\s*=\s*('[^']*'|"[^"]*")/g)) {
      bound.set(parameter, { kind: 'text', text: text.slice(1, -1) });
    }
    for (const [index, arg] of args.entries()) if (arg) bound.set(method.parameters[index] ?? '', arg);
    return this.read(method.body, bound, depth + 1);
  }

  #readValue(text: string, locals: ReadonlyMap<string, Known>): Known | null {
    const plain = text.trim();
    if (/^\[.*\]$/.test(plain)) {
      const items = plain.slice(1, -1).split(',');
      const known = plain === '[]' ? [] : items.map((item) => this.#readValue(item, locals));
      return known.every((item) => item !== null) ? { kind: 'list', items: known } : null;
    }
    const [, symbol] = /^:(\w+)$/.exec(plain) ?? [];
    if (symbol) return { kind: 'attribute', name: symbol };
    const [, quoted] = /^['"]([^'"#]*)['"]$/.exec(plain) ?? [];
    if (quoted !== undefined) return { kind: 'text', text: quoted };
    const [, list = '', index = ''] = /^(\w+)\[(\d+)\]$/.exec(plain) ?? [];
    const indexed = locals.get(list);
    if (indexed?.kind === 'list') return indexed.items[Number(index)] ?? null;
    return regexpOf(plain) ?? locals.get(plain) ?? this.#methodValue(plain);
  }

  /** Returns the regular expression that a method without arguments returns; null for others. */
  #methodValue(text: string): Known | null {
    const [, name = '', list] = CALL.exec(text) ?? [];
    const method = name === '' || list !== undefined ? null : rubyMethod(this.#code, name);
    return method && regexpOf(method.body.trim());
  }
}

function regexpOf(text: string): Known | null {
  const match = REGEXP.exec(text);
  return match && { kind: 'regexp', source: match[1] ?? match[2] ?? '' };
}

function patternOf(match: RegExpExecArray, locals: ReadonlyMap<string, Known>): TitlePattern | null {
  const [, braced, slashed, flags = '', groups = ''] = match;
  let complete = true;
  const source = (braced ?? slashed ?? '').replace(/#\{(\w+)\}/g, (_all, name: string) => {
    const value = locals.get(name);
    if (value?.kind === 'regexp') return `(?-mix:${value.source})`;
    if (value?.kind === 'text') return value.text;
    complete = false;
    return '';
  });
  if (!complete || source.includes('#{')) return null;
  const names = [...groups.matchAll(/\[\s*(:?)(\w+)/g)].map(([, colon, name = '']) => {
    const value = locals.get(name);
    return colon === '' && value?.kind === 'attribute' ? value.name : name;
  });
  return withFlags(source, flags, names);
}
