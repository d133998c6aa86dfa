import { defineFunction } from '../../evaluator/native-function.ts';
import type { CallSite } from '../../evaluator/ports.ts';
import { Timespan } from '../../types/time/timespan.ts';
import { Timestamp } from '../../types/time/timestamp.ts';
import type { Value } from '../../types/values/values.ts';
import { callLocation } from '../support/call-location.ts';
import { warnOnce } from '../support/deprecation.ts';

/**
 * Formats a Timestamp or Timespan. With a leading String it formats the current time; this form is
 * deprecated.
 */
export const strftime = defineFunction('strftime', {
  dispatches: [
    {
      params: ['Timespan time_object', 'String format'],
      body: (_, [time, format]) => (time instanceof Timespan ? time.format(String(format)) : null),
    },
    {
      params: ['Timestamp time_object', 'String format', '?String timezone'],
      body: (_, [time, format, timezone]) => formatTime(time ?? null, String(format), timezone),
    },
    {
      params: ['String format', '?String timezone'],
      body: (site, [format, timezone]) => formatNow(site, String(format), timezone),
    },
  ],
});

function formatTime(time: Value, format: string, timezone: Value | undefined): Value {
  return time instanceof Timestamp ? time.format(format, typeof timezone === 'string' ? timezone : null) : null;
}

function formatNow(site: CallSite, format: string, timezone: Value | undefined): Value {
  warnOnce(
    site,
    'legacy#strftime',
    'The argument signature (String format, [String timezone]) is deprecated for #strftime. ' +
      'See #strftime documentation and Timespan type for more info',
    callLocation(site),
  );
  return formatTime(new Timestamp(site.context.clock.read('strftime', site.node)), format, timezone);
}
