import type { ComputedOutcome } from './pure-command.ts';

interface Options {
  readonly isPath: boolean;
  readonly unescapes: boolean;
  readonly suffix: string | null;
  readonly template: string | null;
  readonly texts: readonly string[];
}

/**
 * Computes `systemd-escape` of systemd 252 with `--path`, `--unescape`, `--suffix` and
 * `--template`; null with other options.
 */
export function runSystemdEscape(args: readonly string[]): ComputedOutcome | null {
  const options = readOptions(args);
  if (options === null) return null;
  const { texts, isPath, unescapes } = options;
  if (texts.length === 0) return { stdout: '', stderr: 'Not enough arguments.\n', status: 1 };
  const results = texts.map((text) => {
    if (unescapes) return isPath ? null : unescapeText(text);
    return isPath ? escapePath(text) : { text: escapeText(text), note: '' };
  });
  const known = results.flatMap((result) => result ?? []);
  const units = known.map(({ text }) => toUnit(text, options)).filter((unit) => unit !== null);
  if (units.length < texts.length) return null;
  return { stdout: `${units.join(' ')}\n`, stderr: known.map(({ note }) => note).join(''), status: 0 };
}

function readOptions(args: readonly string[]): Options | null {
  const end = args.indexOf('--');
  const before = end < 0 ? args : args.slice(0, end);
  const given = before.filter((arg) => arg.startsWith('-'));
  const optionOf = (name: string) => given.find((arg) => arg.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
  if (!given.every((arg) => /^(?:-p|--path|-u|--unescape|--suffix=[a-z]+|--template=.+@\.[a-z]+)$/.test(arg)))
    return null;
  const unescapes = given.some((arg) => arg === '-u' || arg === '--unescape');
  const [suffix, template] = [optionOf('--suffix'), optionOf('--template')];
  if ([unescapes, suffix !== null, template !== null].filter(Boolean).length > 1) return null;
  return {
    isPath: given.some((arg) => arg === '-p' || arg === '--path'),
    unescapes,
    suffix,
    template,
    texts: [...before.filter((arg) => !arg.startsWith('-')), ...(end < 0 ? [] : args.slice(end + 1))],
  };
}

interface Escaped {
  readonly text: string;
  /** The command's standard error. */
  readonly note: string;
}

/** systemd: unit_name_escape */
function escapeText(text: string): string {
  const bytes = [...Buffer.from(text, 'utf8')];
  return bytes.map((byte, index) => escapeByte(byte, index === 0)).join('');
}

function escapeByte(byte: number, isFirst: boolean): string {
  const character = String.fromCharCode(byte);
  if (character === '/') return '-';
  if (/[0-9A-Za-z:_]/.test(character) || (character === '.' && !isFirst)) return character;
  return `\\x${byte.toString(16).padStart(2, '0')}`;
}

/** systemd: unit_name_path_escape. Null when the command refuses the path. */
function escapePath(path: string): Escaped | null {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..') || (path !== '' && parts.length === 0 && !path.startsWith('/'))) return null;
  const text = parts.length === 0 ? '-' : escapeText(parts.join('/'));
  // The log shows line ends in its own way.
  if (path === '' || (path.includes('\n') && !path.startsWith('/'))) return null;
  const note = `Input '${path}' is not an absolute file system path, escaping is likely not going to be reversible.\n`;
  return { text, note: path.startsWith('/') ? '' : note };
}

/** systemd: unit_name_unescape. Null when the text is not escaped text of UTF-8. */
function unescapeText(text: string): Escaped | null {
  if (/\\(?!x[0-9A-Fa-f]{2})/.test(text) || /\\x00/.test(text)) return null;
  const bytes = text
    .replaceAll('-', '/')
    .replace(/\\x([0-9A-Fa-f]{2})|[^\\]/gsu, (all, hex: string | undefined) =>
      hex === undefined ? Buffer.from(all, 'utf8').toString('latin1') : String.fromCharCode(Number.parseInt(hex, 16)),
    );
  const plain = Buffer.from(bytes, 'latin1').toString('utf8');
  return plain.includes('\u{fffd}') ? null : { text: plain, note: '' };
}

/** The longest name of a unit, in bytes. */
const LONGEST_UNIT = 255;

/** The name of a unit with the text; null when that is no valid name. */
function toUnit(text: string, { suffix, template }: Options): string | null {
  if (template !== null) {
    const unit = text === '' ? null : template.replace('@', () => `@${text}`);
    return unit !== null && unit.length <= LONGEST_UNIT && /^[0-9A-Za-z:_.\\-]+@/.test(unit) ? unit : null;
  }
  return suffix === null ? text : `${text}.${suffix}`;
}
