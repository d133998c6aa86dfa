import type { Hono } from 'hono';
import { CertificateAuthority } from '../ca/authority.ts';
import { DEFAULT_HOLD, type HoldOptions, StoredCatalogService } from '../cache/stored-catalog-service.ts';
import type { Stores } from '../store/ports.ts';
import { createApp } from './app.ts';
import type { Bindings } from './endpoint.ts';
import { FileServer } from './files/file-server.ts';
import { DEFAULT_SETTINGS, type RequestLog } from './services.ts';

export interface FrontDoorOptions {
  readonly authorityName: string;
  readonly autosign: boolean;
  readonly log: RequestLog;
  readonly hold?: Partial<HoldOptions>;
  /** Figures for the status beside those of queue and nodes. */
  readonly figures?: () => Readonly<Record<string, unknown>>;
}

export interface FrontDoor {
  readonly app: Hono<{ Bindings: Bindings }>;
  readonly authority: CertificateAuthority;
}

const CA_KEY_BITS = 4096;

/** The application over these stores, with their certificate authority (made when there is none yet). */
export async function openFrontDoor(stores: Stores, options: FrontDoorOptions): Promise<FrontDoor> {
  const { authorityName, autosign, log, hold, figures } = options;
  const authorityOptions = { name: authorityName, autosign, keyBits: CA_KEY_BITS };
  const authority = await CertificateAuthority.open(stores.documents, stores.clock, authorityOptions);
  const app = createApp({
    ...stores,
    authority,
    catalogs: new StoredCatalogService(stores, { ...DEFAULT_HOLD, ...hold }),
    files: new FileServer(stores.environments, stores.blobs),
    figures: async () => ({
      ...figures?.(),
      queue: await stores.queue.depth(),
      nodes: await stores.nodes.counts(),
    }),
    log,
    settings: DEFAULT_SETTINGS,
  });
  return { app, authority };
}
