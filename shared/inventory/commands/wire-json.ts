import { digestSha256 } from '../../util/digest.ts';
import { printReal } from '../ast/ast.ts';

/** Functions of JavaScript's JSON that its types do not know yet. */
interface ExactJson {
  rawJSON(text: string): object;
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
  parse(text: string, revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown;
}
const exact = JSON as unknown as ExactJson;

/** A JSON object as a command brings it. */
export type WireMap = Readonly<Record<string, unknown>>;

/** Reads JSON and keeps all digits of numbers, and the difference between 1 and 1.0. */
export function readWireJson(text: string): unknown {
  return exact.parse(text, (_, value, { source }) => {
    if (typeof value !== 'number' || source === undefined) return value;
    if (/[.eE]/.test(source)) return exact.rawJSON(printReal(value));
    return Number.isSafeInteger(value) ? value : exact.rawJSON(source);
  });
}

/** Whether a value is an object with members. */
export const isWireMap = (value: unknown): value is WireMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !exact.isRawJSON(value);

/** Returns the kind of a number; null for other values. */
export function numberKind(value: unknown): 'integer' | 'float' | null {
  if (typeof value === 'number') return 'integer';
  if (!exact.isRawJSON(value)) return null;
  return /[.eE]/.test(value.rawJSON) ? 'float' : 'integer';
}

/** JSON as PostgreSQL can hold it: the character 0 and half characters are replaced. */
export function writeWireJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g,
    (_, backslashes: string) => `${backslashes}\ufffd`,
  );
}

/** Compact JSON with sorted keys: equal values give equal text. */
export function writeSortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeSortedJson).join(',')}]`;
  if (!isWireMap(value)) return writeWireJson(value ?? null);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${writeWireJson(key)}:${writeSortedJson(value[key])}`);
  return `{${members.join(',')}}`;
}

/** The identity of a value: 40 hexadecimal digits. */
export function identify(value: unknown): string {
  return digestSha256(writeSortedJson(value)).slice(0, 40);
}

/** Text as PostgreSQL can hold it. */
export function cleanText(text: string): string {
  return text.replaceAll('\u0000', '\ufffd').toWellFormed();
}
