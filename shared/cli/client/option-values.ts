import { InvalidArgumentError, Option } from 'commander';
import { parseBoundedNumber, parseUserAndGroup, type UserAndGroup } from '../../config/setting-values.ts';

/**
 * A parser of an option's value. It throws InvalidArgumentError, whose message names the bounds.
 */
export function parseWholeNumber(least: number, most: number): (text: string) => number {
  return (text) => parseArgument(() => parseBoundedNumber(text, { least, most }));
}

/** Parses `UID:GID`. Throws InvalidArgumentError. */
export function readProcessUser(text: string): UserAndGroup {
  return parseArgument(() => parseUserAndGroup(text));
}

/** Returns what `parse` does; its RangeError becomes an InvalidArgumentError. */
export function parseArgument<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new InvalidArgumentError(`It ${error.message}.`);
  }
}

/** The formats of every command that prints what it read. */
const FORMATS = ['text', 'json'] as const;
export type OutputFormat = (typeof FORMATS)[number];

/** The option that `addFormatOption` adds. */
export interface FormatOption {
  readonly format: OutputFormat;
}

/**
 * `-o, --format`: text for people, or JSON for programs. A command with other formats, of which the
 * first is the usual one, describes them.
 */
export function createFormatOption(
  formats: readonly [string, ...string[]] = FORMATS,
  description = 'text, or json for programs',
): Option {
  return new Option('-o, --format <format>', description).choices(formats).default(formats[0]);
}

/** Like `createFormatOption`; takes `human`, too, as Puppet Enterprise's client tools call text. */
export function createClientFormatOption(): Option {
  const option = createFormatOption(FORMATS, 'text, or json for programs; human means text');
  const { parseArg } = option;
  return option.argParser((text) => parseArg?.(text === 'human' ? 'text' : text, undefined));
}

/** A value as the one JSON document of `--format json`. */
export function formatJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Collects the values of an option that may be repeated. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}
