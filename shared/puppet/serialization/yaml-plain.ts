import { hasMoreThanAscii } from '../ruby-core/ruby-string.ts';
import type { Value } from '../types/values/values.ts';

/** Thrown when a YAML text names or implies a class that the reader does not permit. */
export class DisallowedClass extends Error {
  constructor(className: string) {
    super(`Tried to load unspecified class: ${className}`);
    this.name = 'DisallowedClass';
  }
}

const TIME = /^-?\d{4}-\d{1,2}-\d{1,2}(?:[Tt]|\s+)\d{1,2}:\d\d:\d\d(?:\.\d*)?(?:\s*(?:Z|[-+]\d{1,2}:?(?:\d\d)?))?$/;
const DATE = /^\d{4}-(?:1[012]|0\d|\d)-(?:[12]\d|3[01]|0\d|\d)$/;
const FLOAT = /^[-+]?(?:[0-9][0-9_,]*)?\.[0-9]*(?:[eE][-+][0-9]+)?$/;
const INTEGER = /^(?:[-+]?0b[0-1_,]+|[-+]?0[0-7_,]+|[-+]?(?:0|[1-9](?:[0-9]|,[0-9]|_[0-9])*)|[-+]?0x[0-9a-fA-F_,]+)$/;
const WORD = /^[^\d.:-]?[\p{L}\p{M}\p{Nl}_\s!@#$%^&*(){}<>|/\\~;=]+/mu;
/** The same pattern for ASCII texts, which nearly all are. It is far cheaper to compile. */
const PLAIN_WORD = /^[^\d.:-]?[A-Za-z_\s!@#$%^&*(){}<>|/\\~;=]+/m;

/**
 * Reads a plain scalar as Ruby's Psych does: YAML 1.1 with Ruby's extensions
 * (psych/scalar_scanner.rb). `symbol` converts `:name`. Throws DisallowedClass for dates and times.
 */
export function readPlainScalar(text: string, symbol: (name: string) => Value): Value {
  if (text === '') return null;
  if ((hasMoreThanAscii(text) ? WORD : PLAIN_WORD).test(text) || text.includes('\n')) return readWord(text);
  if (TIME.test(text)) throw new DisallowedClass('Time');
  if (DATE.test(text)) return readDate(text);
  if (/^\+?\.inf$/i.test(text)) return Number.POSITIVE_INFINITY;
  if (/^-\.inf$/i.test(text)) return Number.NEGATIVE_INFINITY;
  if (/^\.nan$/i.test(text)) return Number.NaN;
  if (/^:./.test(text)) return symbol((/^:(["'])(.*)\1/.exec(text)?.[2] ?? text).replace(/^:/, ''));
  return readNumber(text);
}

function readWord(text: string): Value {
  if (text.length > 5 || /^[^ytonf~]/im.test(text)) return text;
  if (text === '~' || /^null$/i.test(text)) return null;
  if (/^(yes|true|on)$/i.test(text)) return true;
  if (/^(no|false|off)$/i.test(text)) return false;
  return text;
}

function readDate(text: string): Value {
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
  const date = new Date(Date.UTC(year, month - 1, day));
  if (month === 0 || day === 0 || date.getUTCMonth() !== month - 1) return text;
  throw new DisallowedClass('Date');
}

function readNumber(text: string): Value {
  // Puppet: two parts are hours and minutes, not minutes and seconds, psych/scalar_scanner.rb.
  if (/^[-+]?[0-9][0-9_]*(:[0-5]?[0-9]){1,2}$/.test(text)) {
    const parts = text.split(':').map((part) => BigInt(Number.parseInt(part.replaceAll('_', ''), 10)));
    return parts.reduce((sum, part, index) => sum + part * 60n ** BigInt(Math.abs(index - 2)), 0n);
  }
  if (/^[-+]?[0-9][0-9_]*(:[0-5]?[0-9]){1,2}\.[0-9_]*$/.test(text)) {
    const parts = text.split(':').map((part) => Number.parseFloat(part.replaceAll('_', '')));
    return parts.reduce((sum, part, index) => sum + part * 60 ** Math.abs(index - 2), 0);
  }
  if (FLOAT.test(text)) {
    return /^[-+]?\.$/.test(text) ? text : Number(text.replace(/[,_]|\.([Ee]|$)/g, '$1'));
  }
  return INTEGER.test(text) ? readInteger(text) : text;
}

function readInteger(text: string): bigint {
  const digits = text.replace(/[,_+-]/g, '');
  if (/^0[bx]$/.test(digits))
    throw new Error(`invalid value for Integer(): ${JSON.stringify(text.replace(/[,_]/g, ''))}`);
  const value = BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits}` : digits);
  return text.startsWith('-') ? -value : value;
}
