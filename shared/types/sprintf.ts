/** Ruby's `Kernel#format` for one value. */
import { PuppetError } from '../errors/puppet-error.ts';
import { rubyFloat } from '../util/ruby-float.ts';
import { rubySprintf, SprintfError, type SprintfValues } from '../util/ruby-sprintf.ts';
import { rubyInspect } from './quote.ts';

type Plain = string | bigint | number;

function plainText(value: Plain): string {
  return typeof value === 'number' ? rubyFloat(value) : String(value);
}

const PLAIN: SprintfValues<Plain> = {
  toS: plainText,
  inspect: (value) => (typeof value === 'string' ? rubyInspect(value) : plainText(value)),
  className: (value) => (typeof value === 'string' ? 'String' : typeof value === 'bigint' ? 'Integer' : 'Float'),
  entry: () => null,
};

/** The value by a format such as `%#08x`. Throws PuppetError with Ruby's text when the format is malformed. */
export function sprintf(format: string, value: Plain): string {
  try {
    return rubySprintf(format, [value], PLAIN);
  } catch (error) {
    if (error instanceof SprintfError) throw new PuppetError(error.message, { cause: error });
    throw error;
  }
}

/** A text, cut to the precision and padded to the width. */
export interface TextLayout {
  readonly isLeft: boolean;
  readonly width: number | null;
  readonly precision: number | null;
}

export function layOut(text: string, { isLeft, width, precision }: TextLayout): string {
  if (!isLeft && width === null && precision === null) return text;
  return sprintf(`%${isLeft ? '-' : ''}${width ?? ''}${precision === null ? '' : `.${precision}`}s`, text);
}
