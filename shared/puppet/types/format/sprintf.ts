/** Ruby's `Kernel#format` for one value. */
import { PuppetError } from '../../errors/puppet-error.ts';
import { rubySprintf, SprintfError, type SprintfValues } from '../../ruby-core/ruby-sprintf.ts';
import { rubyClassName } from '../ruby-class.ts';
import type { Value } from '../values/values.ts';
import { inspectRuby, rubyToS } from './ruby-text.ts';

const VALUES: SprintfValues<Value> = {
  toS: rubyToS,
  inspect: inspectRuby,
  className: rubyClassName,
  getEntry: () => null,
};

/**
 * Formats a value by a format such as `%#08x`. Throws PuppetError with Ruby's text when the format
 * is malformed.
 */
export function formatBySprintf(format: string, value: Value): string {
  try {
    return rubySprintf(format, [value], VALUES);
  } catch (error) {
    if (error instanceof SprintfError) throw new PuppetError(error.message, { cause: error });
    throw error;
  }
}

/** The layout of a text: cut to the precision, padded to the width. */
export interface TextLayout {
  readonly isLeft: boolean;
  readonly width: number | null;
  readonly precision: number | null;
}

export function layOut(text: string, { isLeft, width, precision }: TextLayout): string {
  if (!isLeft && width === null && precision === null) return text;
  return formatBySprintf(`%${isLeft ? '-' : ''}${width ?? ''}${precision === null ? '' : `.${precision}`}s`, text);
}
