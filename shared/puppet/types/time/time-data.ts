import { PuppetError } from '../../errors/puppet-error.ts';
import { rubyFloat } from '../../ruby-core/ruby-number.ts';

export const NSECS_PER_SEC = 1_000_000_000n;
export const NSECS_PER_MSEC = 1_000_000n;
export const NSECS_PER_USEC = 1000n;
export const NSECS_PER_MIN = NSECS_PER_SEC * 60n;
export const NSECS_PER_HOUR = NSECS_PER_MIN * 60n;
export const NSECS_PER_DAY = NSECS_PER_HOUR * 24n;

/** Converts seconds to nanoseconds; fractions of a nanosecond are cut off. */
export function secondsToNsecs(seconds: bigint | number): bigint {
  if (typeof seconds === 'bigint') return seconds * NSECS_PER_SEC;
  const nsecs = Math.trunc(seconds * 1e9);
  // Puppet: Ruby's FloatDomainError
  if (!Number.isFinite(nsecs)) throw new PuppetError(rubyFloat(nsecs));
  return BigInt(nsecs);
}

/** Converts nanoseconds to seconds with their fraction. */
export function nsecsToFloat(nsecs: bigint): number {
  const whole = nsecs / NSECS_PER_SEC;
  const rest = nsecs % NSECS_PER_SEC;
  return Number(`${whole === 0n && rest < 0n ? '-0' : whole}.${absolute(rest).toString().padStart(9, '0')}`);
}

/** Floor division, as in Ruby. */
export function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by !== 0n && value < 0n !== by < 0n ? quotient - 1n : quotient;
}

export function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}
