import { InvalidSource, readGitRef, readGitUrl } from './git-url.ts';

/** A module that a Puppetfile names. */
export interface PuppetfileModule {
  /** The name of its folder. */
  readonly name: string;
  /** Its folder relative to the environment. */
  readonly path: string;
  readonly origin: ModuleOrigin;
  /** The line of the Puppetfile. */
  readonly line: number;
}

export type ModuleOrigin =
  /** `ref` null: the branch with the environment's name, then `fallback`. */
  | { readonly kind: 'git'; readonly url: string; readonly ref: string | null; readonly fallback: string | null }
  | { readonly kind: 'tarball'; readonly url: string; readonly sha256: string | null }
  /** `version` null: the newest. */
  | { readonly kind: 'forge'; readonly slug: string; readonly version: string | null };

const MOST_MODULES = 2000;
const TOKENS =
  /(?<space>[ \t\r]+|#[^\n]*|\\\n)|(?<line>\n)|'(?<single>(?:[^'\\]|\\.)*)'|"(?<double>(?:[^"\\#]|\\.|#(?!\{))*)"|(?<key>[a-z_]+):(?!:)|:(?<symbol>[a-z_]+)|(?<arrow>=>)|(?<comma>,)|(?<word>[a-z_]+)|(?<other>.)/gsy;

type Value = { readonly text: string; readonly isSymbol: boolean };
interface Token {
  readonly kind: 'line' | 'text' | 'key' | 'symbol' | 'arrow' | 'comma' | 'word';
  readonly text: string;
  readonly line: number;
}

/**
 * Reads a Puppetfile: `mod`, `forge` and `moduledir` with constant arguments, as r10k has them.
 * Other Ruby is refused, because it would have to be run. Throws InvalidSource with the line.
 */
export function readPuppetfile(text: string): readonly PuppetfileModule[] {
  let folder = 'modules';
  const modules: PuppetfileModule[] = [];
  for (const { name, line, values, options } of readStatements(tokenize(text))) {
    try {
      if (name === 'moduledir') folder = readFolder(values[0]?.text ?? '');
      else if (name === 'mod')
        modules.push(...readModule(values, options, folder).map((module) => ({ ...module, line })));
      else if (name !== 'forge') throw new InvalidSource(`'${name}' is not known`);
    } catch (error) {
      if (error instanceof InvalidSource) throw new InvalidSource(`Puppetfile, line ${line}: ${error.message}`);
      throw error;
    }
  }
  if (modules.length > MOST_MODULES) throw new InvalidSource(`the Puppetfile names more than ${MOST_MODULES} modules`);
  const twice = modules.find(({ path }, index) => modules.findIndex((other) => other.path === path) !== index);
  if (twice) throw new InvalidSource(`Puppetfile, line ${twice.line}: it names the module '${twice.name}' twice`);
  return modules;
}

function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let line = 1;
  for (const { groups = {}, 0: whole } of text.matchAll(TOKENS)) {
    const { single, double, key, symbol } = groups;
    const put = (kind: Token['kind'], value: string) => tokens.push({ kind, text: value, line });
    if (groups.other !== undefined) throw new InvalidSource(`Puppetfile, line ${line}: '${whole}' is not understood`);
    if (groups.line !== undefined) put('line', '');
    else if (single !== undefined) put('text', single.replace(/\\(['\\])/g, '$1'));
    else if (double !== undefined) put('text', double.replace(/\\(.)/g, '$1'));
    else if (key !== undefined) put('key', key);
    else if (symbol !== undefined) put('symbol', symbol);
    else if (groups.arrow !== undefined) put('arrow', '');
    else if (groups.comma !== undefined) put('comma', '');
    else if (groups.word !== undefined) put('word', groups.word);
    line += whole.split('\n').length - 1;
  }
  return tokens;
}

interface Statement {
  readonly name: string;
  readonly line: number;
  readonly values: readonly Value[];
  readonly options: ReadonlyMap<string, Value>;
}

/** A statement goes on in the next line after a comma or `=>`. */
function* readStatements(tokens: readonly Token[]): Generator<Statement> {
  let at = 0;
  const skipLines = () => {
    while (tokens[at]?.kind === 'line') at += 1;
  };
  for (skipLines(); at < tokens.length; skipLines()) {
    const head = tokens[at];
    if (head?.kind !== 'word') throw createMisplacedError(head);
    at += 1;
    const values: Value[] = [];
    const options = new Map<string, Value>();
    while (at < tokens.length && tokens[at]?.kind !== 'line') {
      const named = readOptionName(tokens, at);
      if (named !== null) {
        at = named.next;
        skipLines();
      }
      const value = tokens[at];
      if (value?.kind !== 'text' && value?.kind !== 'symbol' && value?.kind !== 'word')
        throw createMisplacedError(value ?? head);
      const read = { text: value.text, isSymbol: value.kind !== 'text' };
      if (named === null) values.push(read);
      else options.set(named.name, read);
      at += 1;
      if (tokens[at]?.kind === 'comma') {
        at += 1;
        skipLines();
      } else if (at < tokens.length && tokens[at]?.kind !== 'line') throw createMisplacedError(tokens[at]);
    }
    yield { name: head.text, line: head.line, values, options };
  }
}

function readOptionName(tokens: readonly Token[], at: number): { readonly name: string; readonly next: number } | null {
  const token = tokens[at];
  if (token?.kind === 'key') return { name: token.text, next: at + 1 };
  if (token?.kind === 'symbol' && tokens[at + 1]?.kind === 'arrow') return { name: token.text, next: at + 2 };
  return null;
}

function createMisplacedError(token: Token | undefined): InvalidSource {
  return new InvalidSource(
    `Puppetfile, line ${token?.line ?? 1}: only mod, forge and moduledir with constant arguments are understood`,
  );
}

function readModule(
  [title, version]: readonly Value[],
  options: ReadonlyMap<string, Value>,
  folder: string,
): readonly Omit<PuppetfileModule, 'line'>[] {
  const [, author, name = ''] = /^(?:([A-Za-z0-9]+)[-/])?([a-z][a-z0-9_]*)$/.exec(title?.text ?? '') ?? [];
  if (name === '') throw new InvalidSource(`'${title?.text ?? ''}' is no name of a module`);
  if (options.has('local')) return [];
  const given = options.get('install_path');
  const path = `${given === undefined ? folder : readFolder(given.text)}/${name}`;
  return [{ name, path, origin: readOrigin(author, name, version, options) }];
}

function readOrigin(
  author: string | undefined,
  name: string,
  version: Value | undefined,
  options: ReadonlyMap<string, Value>,
): ModuleOrigin {
  const text = (...names: readonly string[]) => names.map((one) => options.get(one)).find((one) => one !== undefined);
  const type = text('type')?.text;
  const url = text('git')?.text ?? (type === 'git' ? text('source')?.text : undefined);
  if (url !== undefined) return readGitOrigin(url, text('ref', 'tag', 'commit', 'branch', 'version'), options);
  if (type === 'tarball') {
    const source = text('source')?.text ?? '';
    if (!/^https?:\/\/[^\s]+$/.test(source)) throw new InvalidSource(`'${source}' is no URL of a tarball`);
    return { kind: 'tarball', url: source, sha256: readDigest(text('version')?.text) };
  }
  if (author === undefined) throw new InvalidSource(`the module '${name}' has neither an author nor a source`);
  const chosen = version ?? text('version');
  if (chosen === undefined || (chosen.isSymbol && chosen.text === 'latest')) {
    return { kind: 'forge', slug: `${author}-${name}`, version: null };
  }
  if (!/^\d+\.\d+\.\d+[\w.+-]*$/.test(chosen.text)) throw new InvalidSource(`'${chosen.text}' is no version`);
  return { kind: 'forge', slug: `${author}-${name}`, version: chosen.text };
}

function readGitOrigin(
  url: string,
  ref: Value | undefined,
  options: ReadonlyMap<string, Value>,
): ModuleOrigin & { readonly kind: 'git' } {
  const usual = options.get('default_branch_override')?.text ?? options.get('default_branch')?.text;
  const follows = ref?.isSymbol === true && ref.text === 'control_branch';
  const fallback = usual === undefined ? null : readGitRef(usual);
  if (follows) return { kind: 'git', url: readGitUrl(url), ref: null, fallback };
  return { kind: 'git', url: readGitUrl(url), ref: readGitRef(ref?.text ?? usual ?? 'main'), fallback };
}

function readDigest(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (/^[0-9a-f]{64}$/.test(text)) return text;
  throw new InvalidSource(`the version of a tarball is its sha256 in 64 digits, not '${text}'`);
}

/** A folder below the environment. */
function readFolder(text: string): string {
  const parts = text.split('/').filter((part) => part !== '' && part !== '.');
  if (text.startsWith('/') || parts.length === 0 || parts.some((part) => part === '..' || !/^[\w.-]+$/.test(part))) {
    throw new InvalidSource(`'${text}' is no folder of the environment`);
  }
  return parts.join('/');
}
