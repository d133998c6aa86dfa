import { changeDocument } from '../../store/change-document.ts';
import type { DocumentStore } from '../../store/ports/document-store.ts';
import { digestSha256 } from '../../util/digest.ts';

/** The broker to which a client is connected. */
export interface ClientPlace {
  readonly instance: string;
  readonly incarnation: string;
  /** Grows with each connection of the URI. */
  readonly epoch: number;
}

/** A collection is one partition in AWS, which takes 1,000 writes a second. */
const SHARDS = 16;
const PAGE = 1000;

/** Location of clients: the broker of each URI. The newest connection of a URI wins. */
export class Presence {
  readonly #documents: DocumentStore;

  constructor(documents: DocumentStore) {
    this.#documents = documents;
  }

  async find(uri: string): Promise<ClientPlace | null> {
    const found = await this.#documents.get(collectionOf(uri), uri);
    return found && toPlace(found);
  }

  /** Records a new connection; returns its place and that of the connection before it. */
  async claim(
    uri: string,
    { instance, incarnation }: Omit<ClientPlace, 'epoch'>,
  ): Promise<{ readonly place: ClientPlace; readonly earlier: ClientPlace | null }> {
    let earlier: ClientPlace | null = null;
    let place: ClientPlace = { instance, incarnation, epoch: 1 };
    await changeDocument(this.#documents, collectionOf(uri), uri, (found) => {
      earlier = found && toPlace(found);
      place = { ...place, epoch: (earlier?.epoch ?? 0) + 1 };
      return { ...place };
    });
    return { place, earlier };
  }

  /** Forgets a connection, unless a newer one was recorded; whether it did. */
  release(uri: string, place: ClientPlace): Promise<boolean> {
    return this.#documents.remove(collectionOf(uri), uri, { ...place });
  }

  /** All places, page by page. */
  async *list(): AsyncGenerator<readonly [string, ClientPlace]> {
    for (let shard = 0; shard < SHARDS; shard += 1) {
      let after: string | undefined;
      for (;;) {
        const page = await this.#documents.list(`pcp-presence-${shard}`, '', PAGE, after);
        for (const { key, document } of page) yield [key, toPlace(document)];
        if (page.length < PAGE) break;
        after = page.at(-1)?.key;
      }
    }
  }
}

function collectionOf(uri: string): string {
  return `pcp-presence-${Number.parseInt(digestSha256(uri).slice(0, 4), 16) % SHARDS}`;
}

function toPlace({ instance, incarnation, epoch }: Readonly<Record<string, unknown>>): ClientPlace {
  return { instance: String(instance), incarnation: String(incarnation), epoch: Number(epoch) };
}
