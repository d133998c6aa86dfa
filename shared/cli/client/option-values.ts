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

/** The formats for people, whatever a command calls them. */
const READABLE: readonly string[] = ['text', 'table', 'human'];

/**
 * `-o, --format`, of which the first format is the usual one. The words for what people read mean
 * the same with every command; others are refused with InvalidArgumentError.
 */
export function createFormatOption<Format extends string>(
  description: string,
  formats: readonly [Format, ...Format[]],
): Option {
  return new Option('-o, --format <format>', description)
    .choices(formats)
    .default(formats[0])
    .argParser((text) => {
      const found = formats.find((one) => one === text || (READABLE.includes(one) && READABLE.includes(text)));
      if (found !== undefined) return found;
      throw new InvalidArgumentError(`Allowed choices are ${formats.join(', ')}.`);
    });
}

/** Collects the values of an option that may be repeated. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}
