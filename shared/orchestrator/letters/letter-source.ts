/** The queues that have dead letters. The last three are named by the option of their receiver. */
export const LETTER_QUEUES = ['compile', 'fan-out', 'notify', 'report-url', 'puppetdb', 'alert-url'] as const;

export type LetterQueue = (typeof LETTER_QUEUES)[number];

/** A message that a queue gave up. */
export interface DeadLetter {
  readonly queue: LetterQueue;
  /** Unique in its queue. */
  readonly id: string;
  /** Null for a fan-out and an alert, and where it cannot be read. */
  readonly certname: string | null;
  /** The subject: a catalog or an environment, a deploy, a run, or the forwarded document. */
  readonly content: string;
  /** That of a report; else null. */
  readonly transactionUuid: string | null;
  /** The last error. */
  readonly reason: string;
  /** Why a catalog was to be compiled; else null. */
  readonly cause: string | null;
  /** When it was given up, in milliseconds; when it was queued, where nothing says more. */
  readonly at: number;
  /** Whether it is about to be tried again. */
  readonly isDue: boolean;
  /** Whether it can be tried again; else `reason` says why it cannot be read. */
  readonly isReadable: boolean;
}

/** Selection of dead letters; null stands for all. */
export interface LetterChoice {
  readonly certname: string | null;
  readonly id: string | null;
}

/** The dead letters of one queue. */
export interface LetterSource {
  /** Finds up to 1,000; in AWS, of each SQS queue, up to 200. */
  find(choice: LetterChoice): Promise<readonly DeadLetter[]>;
  /** Has them tried again, all of which can be read; returns how many there still were. */
  redrive(letters: readonly DeadLetter[]): Promise<number>;
  /** Counts the letters of all nodes, up to 10,000 where they have to be counted. */
  count(): Promise<number>;
}

/** Letters of a queue that one look finds at most. */
export const MOST_LETTERS_A_LOOK = 1000;
export const MOST_COUNTED_LETTERS = 10_000;

export function isChosen(letter: Pick<DeadLetter, 'certname' | 'id'>, { certname, id }: LetterChoice): boolean {
  return (certname === null || letter.certname === certname) && (id === null || letter.id === id);
}
