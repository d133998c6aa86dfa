import type { DescribedInput, DescribedInputs, InputKind } from '../../../fleet/inputs/describe-inputs.ts';

/** A heading, and the inputs below it. */
type Section = readonly [title: string, lines: readonly string[]];

/** The text of an input, and its reader; empty for none. */
type Line = readonly [text: string, reader: string];

const WIDEST_TEXT = 72;
const ABSENT = /^It is absent|^The file lacks/;

/**
 * Formats the inputs of a compile for people to read: a heading for each kind, and a line for each
 * input with its value and the first line of code that reads it. Readers are named from the folder
 * of `environment`. `isWhole`: also each key that a data file lacks.
 */
export function explainInputs(
  { inputs }: Pick<DescribedInputs, 'inputs'>,
  environment: string,
  { isWhole = false }: { readonly isWhole?: boolean } = {},
): string {
  const of = (kind: InputKind) => inputs.filter((one) => one.kind === kind);
  const lineOf = (input: DescribedInput): Line => [textOf(input), readerOf(input, environment)];
  const isThere = ({ why }: DescribedInput) => !ABSENT.test(why);
  const missing = [...of('file'), ...of('listing')].filter((input) => !isThere(input));
  const sections: readonly Section[] = [
    ['Facts', align(of('fact').map(lineOf))],
    ['Trusted facts', align(of('trusted').map(lineOf))],
    ['Settings', of('setting').map(textOf)],
    ['Keys of data files', linesOfData(of('data'), environment, isWhole)],
    ['Files', align([...of('file'), ...of('listing')].filter(isThere).map(lineOf))],
    ['Looked for and not found', missing.map(({ name }) => name)],
    ['Collectors of exported resources', of('collector').map(textOf)],
    ['Queries to the inventory', of('query').map(textOf)],
    ['Functions that are not deterministic', of('volatile').map(textOf)],
  ];
  return sections.flatMap(([title, lines]) => (lines.length === 0 ? [] : [printSection(title, lines)])).join('\n');
}

function printSection(title: string, lines: readonly string[]): string {
  return [`${title}:`, ...lines.map((line) => `  ${line}`), ''].join('\n');
}

/** The name with what counts of it. Control characters are shown as blanks. */
function textOf({ kind, name, value, why }: DescribedInput): string {
  const text = value === undefined ? `${name}${noteOf(kind, name, why)}` : `${name} = ${value}`;
  return text.replace(/\p{Cc}/gu, ' ');
}

/** Short names for the aspect of an input that counts, other than its value or content. */
const NOTES: Readonly<Record<string, string>> = {
  'That it exists counts, not what it holds': 'existence',
  'Its presence counts': 'presence',
  'It is a hash, of which other inputs name the parts': 'a hash',
  'The names of its keys count': 'names of its keys',
  'Its mode counts': 'mode',
  'The symbolic links below it count': 'symbolic links',
  'The names in the folder count': 'names in it',
};
const HIDDEN = 'value not shown';

/** Returns the note in place of a value. */
function noteOf(kind: InputKind, name: string, why: string): string {
  if (ABSENT.test(why)) return ' (absent)';
  if (kind === 'data' && name.includes('lookup_options[')) return '';
  const isValue = kind === 'fact' || kind === 'trusted' || kind === 'data' || kind === 'setting';
  const note = NOTES[why] ?? (isValue ? HIDDEN : null);
  return note === null ? '' : ` (${note})`;
}

function readerOf({ readers }: DescribedInput, environment: string): string {
  const [first, ...others] = readers;
  if (first === undefined) return '';
  const root = `environments/${environment}/`;
  const file = first.file.startsWith(root) ? first.file.slice(root.length) : first.file;
  return `${file}:${first.line}${others.length === 0 ? '' : ` and ${others.length} more`}`;
}

/** Readers stand in a column of their own, beside texts of usual length. */
function align(lines: readonly Line[]): readonly string[] {
  const width = Math.min(WIDEST_TEXT, Math.max(0, ...lines.map(([text]) => text.length)));
  return lines.map(([text, reader]) => (reader === '' ? text : `${text.padEnd(width)}  ${reader}`));
}

/** The keys below the name of their file. Of keys that it lacks, a file has the number at least. */
function linesOfData(data: readonly DescribedInput[], environment: string, isWhole: boolean): readonly string[] {
  const files = Map.groupBy(data, ({ name }) => name.slice(0, name.lastIndexOf(' ')));
  return [...files].flatMap(([file, keys]) => {
    const shown = isWhole ? keys : keys.filter(({ why }) => !ABSENT.test(why));
    const lacking = keys.length - shown.length;
    const lines = shown.map((key): Line => {
      const name = key.name.slice(file.length + 1);
      return [textOf({ ...key, name }), readerOf(key, environment)];
    });
    const note = lacking === 0 ? '' : ` (${lacking} ${lacking === 1 ? 'key' : 'keys'} looked for and not found)`;
    return [`${file}${note}`, ...align(lines).map((line) => `  ${line}`)];
  });
}
