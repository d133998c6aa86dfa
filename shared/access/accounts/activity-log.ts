import { allDocuments } from '../../store/list-pages.ts';
import type { Clock } from '../../store/ports/clock.ts';
import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';
import type { SecretSource } from '../../store/ports/secrets.ts';
import { shortReason } from '../../store/short-texts.ts';
import { DAY_MS } from '../../util/day.ts';
import { isJsonObject } from '../../util/json-object.ts';

/** The services of Puppet Enterprise whose changes are kept. */
export const ACTIVITY_SERVICES = ['rbac', 'classifier'] as const;
type ActivityService = (typeof ACTIVITY_SERVICES)[number];

/** Types of changed objects, by their names in Puppet Enterprise's activity service. */
type ActivityObjectType = 'users' | 'user_groups' | 'roles' | 'directory_server_settings' | 'node_groups';

/** An object that was changed, with its name at that time. */
export interface ActivityObject {
  readonly type: ActivityObjectType;
  readonly id: string;
  readonly name: string;
}

export type ActivityAction = 'create' | 'edit' | 'delete' | 'log_in' | 'revoke';

/** A change that somebody made; it holds no password and no token. */
export interface Change {
  readonly service: ActivityService;
  readonly action: ActivityAction;
  /** At least one, and at most `MOST_OBJECTS`: others are left out. */
  readonly objects: readonly ActivityObject[];
  readonly message: string;
}

/** A change with its author and its time. */
export interface Activity extends Change {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly subject: { readonly id: string; readonly name: string };
}

/** The activities that a reader asks for. */
export interface ActivityQuery {
  readonly accepts: (activity: Activity) => boolean;
  /** Only those later than this, in milliseconds since 1970; null: from the first. */
  readonly after: number | null;
  /** Only those that are not later than this; null: to the last. */
  readonly until: number | null;
  readonly order: 'asc' | 'desc';
  readonly offset: number;
  readonly limit: number;
}

const ACTIVITIES = 'access-activities';
const KEPT_MS = 90 * DAY_MS;
/** A read goes through at most so many, the newest; pruning deletes those beyond. */
export const MOST_ACTIVITIES = 10_000;
const MOST_OBJECTS = 20;
/** Later than every time that is stored; 14 digits. */
const END_OF_TIME = 99_999_999_999_999;
const MOST_COUNTED = 999_999;

/**
 * Stores who changed what. Keys sort the newest first: the documents of an answer are the first of
 * the collection.
 */
export class ActivityLog {
  readonly #documents: DocumentStore;
  readonly #clock: Clock;
  readonly #secrets: SecretSource;
  #count = 0;

  constructor({ documents, clock, secrets }: { documents: DocumentStore; clock: Clock; secrets: SecretSource }) {
    [this.#documents, this.#clock, this.#secrets] = [documents, clock, secrets];
  }

  /** Stores a change that was made now. */
  async add(subject: Activity['subject'], { service, action, objects, message }: Change): Promise<void> {
    const at = this.#clock.now();
    this.#count = (this.#count + 1) % MOST_COUNTED;
    const order = String(MOST_COUNTED - this.#count).padStart(6, '0');
    const key = `${keyOf(at)}-${order}-${Buffer.from(this.#secrets.bytes(6)).toString('hex')}`;
    const shown = objects.slice(0, MOST_OBJECTS).map(({ type, id, name }) => ({ type, id, name: shortReason(name) }));
    const { id, name } = subject;
    const document = { at, subject: { id, name }, service, action, objects: shown, message: shortReason(message) };
    await this.#documents.put(ACTIVITIES, key, document, at + KEPT_MS);
  }

  /** A part of the activities that `query` accepts, and how many there are of them. */
  async read({ accepts, after, until, order, offset, limit }: ActivityQuery) {
    const oldest = Math.max(after ?? Number.NEGATIVE_INFINITY, this.#clock.now() - KEPT_MS);
    const found: Activity[] = [];
    let seen = 0;
    const start = until === null ? {} : { after: keyOf(until) };
    for await (const { document } of allDocuments(this.#documents, ACTIVITIES, start)) {
      const activity = readActivity(document);
      seen += 1;
      if (seen > MOST_ACTIVITIES || activity.at <= oldest) break;
      if (accepts(activity)) found.push(activity);
    }
    const sorted = order === 'asc' ? found.reverse() : found;
    return { activities: sorted.slice(offset, offset + limit), total: found.length };
  }
}

/** The start of keys of activities of a time; keys of later times sort before. */
function keyOf(at: number): string {
  return String(END_OF_TIME - at).padStart(14, '0');
}

function readActivity({ at, subject, service, action, objects, message }: StoredDocument): Activity {
  const list: readonly unknown[] = Array.isArray(objects) ? objects : [];
  const { id, name } = isJsonObject(subject) ? subject : {};
  return {
    at: Number(at),
    subject: { id: String(id), name: String(name) },
    service: String(service) as ActivityService,
    action: String(action) as ActivityAction,
    objects: list.filter(isJsonObject).map((one) => ({
      type: String(one.type) as ActivityObjectType,
      id: String(one.id),
      name: String(one.name),
    })),
    message: String(message),
  };
}

/** Deletes activities of more than 90 days, and all but the newest. */
export async function pruneActivities(documents: DocumentStore, now: number, most = MOST_ACTIVITIES): Promise<void> {
  let seen = 0;
  for await (const { key, document } of allDocuments(documents, ACTIVITIES)) {
    seen += 1;
    if (seen > most || Number(document.at) <= now - KEPT_MS) await documents.delete(ACTIVITIES, key);
  }
}
