import {
  eventPlace,
  type FailureEvent,
  findFailureEvent,
  listFailureEvents,
} from '../../fleet/failures/failure-events.ts';
import { describeFailureDetails, describeFailureEvent, pathOfFailure } from '../../fleet/failures/failure-feed.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { digestSha256 } from '../../util/digest.ts';
import { keepDeadLetter } from './dead-letters.ts';
import { DeliveryRejected, MOST_DELIVERY_FAILURES, ReceiverAway } from './delivery-errors.ts';
import type { ReportSender } from './report-sender.ts';
import { sendDueLetters } from './send-due-letters.ts';

interface AlertForwarderOptions {
  readonly stores: Pick<Stores, 'documents' | 'clock'>;
  readonly sender: ReportSender;
  /** Address of the receiver; names the forwarder's place among the events. */
  readonly url: string;
  /** Receives messages about alerts that are not sent. */
  onTrouble(message: string): void;
}

/** The place of each receiver among the events. */
const PLACES = 'alert-places';
const EVENTS_A_TURN = 50;

/** The endpoint failed over an alert, which is sent again. */
class AlertFailed extends Error {
  override readonly name = 'AlertFailed';
}

/**
 * Posts each failure that began or ended to an HTTP endpoint, as JSON that Slack's incoming
 * webhooks take, too, in the order of the events. While the endpoint is away, events wait where
 * they are kept: 500, for two weeks. One that the endpoint rejects, or fails over ten times, is a
 * dead letter.
 */
export class AlertForwarder {
  readonly #options: AlertForwarderOptions;
  readonly #key: string;

  constructor(options: AlertForwarderOptions) {
    this.#options = options;
    this.#key = digestSha256(options.url);
  }

  /**
   * Sends the events that are due; a new receiver gets those from then on. No event is begun after
   * `until`, in milliseconds. Throws ReceiverAway: the rest is sent by a later call.
   */
  async sendEvents(until = Number.POSITIVE_INFINITY): Promise<void> {
    const { documents, clock } = this.#options.stores;
    const place = await documents.get(PLACES, this.#key);
    if (place === null) {
      await documents.put(PLACES, this.#key, { after: eventPlace(clock.now() + 1) });
      return;
    }
    let { after } = place;
    for (const event of await listFailureEvents(documents, String(after), EVENTS_A_TURN)) {
      if (clock.now() >= until) return;
      const failures = place.failing === event.id ? Number(place.failures) : 0;
      try {
        await this.#send(event, failures + 1);
      } catch (error) {
        if (!(error instanceof AlertFailed)) throw error;
        // Kept with the place, so that processes of a minute each count on.
        await documents.put(PLACES, this.#key, { after, failing: event.id, failures: failures + 1 });
        throw new ReceiverAway(error.message);
      }
      after = event.id;
      await documents.put(PLACES, this.#key, { after });
    }
  }

  /**
   * Sends the dead letters again that an operator wants sent. None is begun after `until`, in
   * milliseconds. Throws ReceiverAway.
   */
  async sendDueLetters(until = Number.POSITIVE_INFINITY): Promise<void> {
    const { stores, onTrouble } = this.#options;
    await sendDueLetters('alert-url', stores.documents, async ({ id }) => {
      if (stores.clock.now() >= until) return false;
      const event = await findFailureEvent(stores.documents, id);
      if (event === null) onTrouble('an event is deleted by now');
      return event === null || this.#send(event, MOST_DELIVERY_FAILURES);
    });
  }

  /**
   * False when it is a dead letter now. `attempt`: from 1. Throws ReceiverAway, and AlertFailed
   * when the endpoint failed over it and is asked again.
   */
  async #send(event: FailureEvent, attempt: number): Promise<boolean> {
    const { sender, stores, onTrouble } = this.#options;
    try {
      await sender.send(printAlert(event));
      return true;
    } catch (error) {
      if (!(error instanceof DeliveryRejected)) throw error;
      if (!error.isFinal && attempt < MOST_DELIVERY_FAILURES) throw new AlertFailed(error.message);
      const common = { target: 'alert-url', certname: '', command: 'send alert', report: null } as const;
      const letter = { ...common, id: event.id, reason: error.message, at: stores.clock.now() };
      await keepDeadLetter(letter, stores.documents);
      onTrouble(`an alert was not taken: ${error.message}`);
      return false;
    }
  }
}

/** The body of an alert. Slack reads `text` alone, in which `&`, `<` and `>` are escaped. */
function printAlert(event: FailureEvent): string {
  const { at, what, group } = event;
  const text = [describeFailureEvent(event), ...describeFailureDetails(event)].join('\n');
  const { id, kind, environment, resource, message, count, nodes, lines, deploy, firstAt } = group;
  return JSON.stringify({
    text: text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    event: what,
    at: new Date(at).toISOString(),
    failure: {
      ...{ id, path: pathOfFailure(id), kind, environment, resource, message, count, nodes, lines },
      since: new Date(firstAt).toISOString(),
      deploy: deploy && { ...deploy, at: new Date(deploy.at).toISOString() },
    },
  });
}
