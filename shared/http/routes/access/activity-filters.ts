import { AccessRefused } from '../../../access/accounts/access-control.ts';
import { ACTIVITY_SERVICES, type Activity, type ActivityQuery } from '../../../access/accounts/activity-log.ts';
import { isJsonObject } from '../../../util/json-object.ts';
import { sendAccessError } from '../../access-fault.ts';
import type { HttpContext } from '../../endpoint.ts';
import { Refusal } from '../../exchange/answers.ts';

type Filters = Pick<ActivityQuery, 'accepts' | 'after' | 'until'>;
type Accepts = ActivityQuery['accepts'];
/** A type, and the ids of that type; no ids: all of them. */
interface Selection {
  readonly type: string;
  readonly ids: readonly string[];
}

/** Services of Puppet Enterprise that keep no activities here: their answers are empty. */
const OTHER_SERVICES = ['pe-console', 'code-manager', 'orchestrator'];
const SUBJECT_TYPE = 'users';
const MOST_CLAUSES = 100;

/**
 * Reads which activities a request asks for: of version 1 by its parameters, of version 2 by the
 * list of clauses in `query`. Throws AccessRefused (400), and Refusal (501) for `ip_address`.
 */
export function readActivityFilters(context: HttpContext, isFirst: boolean): Filters {
  const service = context.req.query('service_id');
  if (service === undefined && isFirst) throw invalid("The parameter 'service_id' is needed");
  const known: readonly string[] = [...ACTIVITY_SERVICES, ...OTHER_SERVICES];
  if (service !== undefined && !known.includes(service)) {
    throw invalid(`The parameter 'service_id' must be one of ${known.join(', ')}`);
  }
  const { accepts, ...times } = isFirst ? readParameters(context) : readClauses(context);
  return { ...times, accepts: (one) => (service === undefined || one.service === service) && accepts(one) };
}

function readParameters({ req }: HttpContext): Filters {
  const select = (kind: 'subject' | 'object'): readonly Selection[] => {
    const [type, ids] = [req.query(`${kind}_type`), req.query(`${kind}_id`)];
    if (type !== undefined) return [{ type, ids: ids === undefined ? [] : ids.split(',') }];
    if (ids === undefined) return [];
    throw invalid(`The parameter '${kind}_id' needs '${kind}_type'`);
  };
  const accepts = acceptSelections(select('subject'), select('object'));
  const [after, before] = ['after_service_commit_time', 'before_service_commit_time'].map((name) => {
    const text = req.query(name);
    return text === undefined ? null : readTime(name, text);
  });
  return { accepts, after: after ?? null, until: before == null ? null : before - 1 };
}

function readClauses({ req }: HttpContext): Filters {
  const clauses = parseClauses(req.query('query'));
  const subjects: Selection[] = [];
  const objects: Selection[] = [];
  let range: Pick<Filters, 'after' | 'until'> = { after: null, until: null };
  for (const clause of clauses) {
    const { subject_id, subject_type, object_id, object_type, start, end, ip_address, ...others } = clause;
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) throw invalid(`The query has the unknown key '${unknown}'`);
    if (ip_address !== undefined)
      throw new Refusal(NO_ADDRESSES, () => sendAccessError(501, 'not-available', NO_ADDRESSES));
    const subject = readSelection(
      'subject',
      subject_type ?? (subject_id === undefined ? undefined : SUBJECT_TYPE),
      subject_id,
    );
    if (subject !== null) subjects.push(subject);
    const object = readSelection('object', object_type, object_id);
    if (object !== null) objects.push(object);
    if (start === undefined && end === undefined) continue;
    // The start is part of the range.
    range = { after: readTime('start', start) - 1, until: readTime('end', end) };
  }
  return { accepts: acceptSelections(subjects, objects), ...range };
}

const NO_ADDRESSES = 'Activities have no addresses of clients';

function parseClauses(text: string | undefined): readonly Readonly<Record<string, unknown>>[] {
  if (text === undefined) return [];
  const refusal = invalid(`The parameter 'query' must be a JSON array of at most ${MOST_CLAUSES} objects`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw refusal;
  }
  const clauses: unknown = isJsonObject(parsed) && 'query' in parsed ? parsed.query : parsed;
  if (!Array.isArray(clauses) || clauses.length > MOST_CLAUSES || !clauses.every(isJsonObject)) throw refusal;
  return clauses;
}

function readSelection(kind: string, type: unknown, id: unknown): Selection | null {
  if (type === undefined && id === undefined) return null;
  if (typeof type !== 'string') throw invalid(`The key '${kind}_id' needs '${kind}_type'`);
  if (id !== undefined && typeof id !== 'string') throw invalid(`The key '${kind}_id' must be a text`);
  return { type, ids: id === undefined ? [] : [id] };
}

/** One of the selections of each kind has to apply; a kind without any applies. */
function acceptSelections(subjects: readonly Selection[], objects: readonly Selection[]): Accepts {
  return ({ subject, objects: changed }: Activity) =>
    (subjects.length === 0 || subjects.some((one) => one.type === SUBJECT_TYPE && includes(one, subject.id))) &&
    (objects.length === 0 ||
      objects.some((one) => changed.some(({ type, id }) => type === one.type && includes(one, id))));
}

function includes({ ids }: Selection, id: string): boolean {
  return ids.length === 0 || ids.includes(id);
}

function readTime(name: string, text: unknown): number {
  const time = typeof text === 'string' && /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(time)) return time;
  throw invalid(`'${name}' must be a time in the form of ISO 8601`);
}

function invalid(message: string): AccessRefused {
  return new AccessRefused('schema-violation', message);
}
