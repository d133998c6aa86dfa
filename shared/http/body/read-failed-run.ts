import { type RunFailures, readRunFailures } from '../../fleet/failures/run-failures.ts';
import type { JsonSpan } from '../../util/json-scan.ts';

/** Longer members are not read: to make objects of one takes a tenth of a second. */
const LONGEST_MEMBER = 16 * 1024 ** 2;

/** Reads what failed from the text of a report: its members are at `spans`. */
export function readFailedRun(text: Buffer, spans: ReadonlyMap<string, JsonSpan>): RunFailures {
  return readRunFailures(readMember(text, spans.get('resource_statuses')), readMember(text, spans.get('logs')));
}

function readMember(text: Buffer, span: JsonSpan | undefined): unknown {
  if (span === undefined || span.end - span.start > LONGEST_MEMBER) return null;
  return JSON.parse(text.toString('utf8', span.start, span.end));
}
