import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClientError, describeCause, ServiceUnreachable } from './client-error.ts';
import {
  type ClientFolders,
  type ClientSettings,
  expandHome,
  readClientSettings,
  textSetting,
  USUAL_CA_FILE,
  usualTokenFile,
} from './client-settings.ts';
import { demandService, type ServiceAddress } from './service-client.ts';
import type { Terminal } from './terminal.ts';
import { readTokenFile } from './token-file.ts';

/** The options that all commands for the orchestrator have. */
export interface OrchestratorOptions {
  readonly serviceUrl?: string;
  readonly caCert?: string;
  readonly tokenFile?: string;
  readonly configFile?: string;
}

export interface OrchestratorSettings {
  /** Such as `https://HOST:8143/orchestrator/v1`. */
  readonly url: string;
  readonly caFile: string;
  readonly tokenFile: string;
  readonly environment: string | null;
  readonly noop: boolean;
}

export type JsonRecord = Readonly<Record<string, unknown>>;

export const ORCHESTRATOR_CONFIGURATION = 'orchestrator.conf';
const ACCESS_PORT = 4433;
const MOST_ATTEMPTS = 5;
const RETRY_MS = 1000;

/** Reads options, then a person's `orchestrator.conf`, then the machine's. Throws ClientError. */
export function readOrchestratorSettings(options: OrchestratorOptions, folders: ClientFolders): OrchestratorSettings {
  const file = readClientSettings(ORCHESTRATOR_CONFIGURATION, folders, options.configFile);
  const settings: ClientSettings = isJsonRecord(file.options) ? file.options : {};
  const url = options.serviceUrl ?? textSetting(settings, 'service-url');
  if (url === undefined) {
    const where = `set service-url in ${join('~/.puppetlabs/client-tools', ORCHESTRATOR_CONFIGURATION)}`;
    throw new ClientError(`there is no address of an orchestrator: give --service-url, or ${where}`);
  }
  const tokenFile = options.tokenFile ?? textSetting(settings, 'token-file');
  return {
    url: `${url.replace(/\/+$/, '').replace(/\/orchestrator(\/v1)?$/, '')}/orchestrator/v1`,
    caFile: expandHome(options.caCert ?? textSetting(settings, 'cacert') ?? USUAL_CA_FILE, folders),
    tokenFile: tokenFile === undefined ? usualTokenFile(folders) : expandHome(tokenFile, folders),
    environment: textSetting(settings, 'environment') ?? null,
    noop: settings.noop === true,
  };
}

/** Asks the API of an orchestrator. */
export class OrchestratorClient {
  readonly #service: ServiceAddress;
  readonly #sleep: (milliseconds: number) => Promise<void>;

  constructor(service: ServiceAddress, sleep: (milliseconds: number) => Promise<void>) {
    this.#service = service;
    this.#sleep = sleep;
  }

  /** Reads; tries again, at most four times, while the service cannot be reached. */
  async get(path: string): Promise<JsonRecord> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await demandService(this.#service, 'GET', path);
      } catch (error) {
        if (!(error instanceof ServiceUnreachable) || attempt === MOST_ATTEMPTS) throw error;
        await this.#sleep(RETRY_MS * attempt);
      }
    }
  }

  /** Sends a command, once. */
  post(path: string, body: JsonRecord): Promise<JsonRecord> {
    return demandService(this.#service, 'POST', path, body);
  }
}

/**
 * The token of earlier; without one, a new one for the login and password that a person types.
 * Rejects with ClientError.
 */
export async function obtainToken(settings: OrchestratorSettings, terminal: Terminal): Promise<string> {
  const kept = readTokenFile(settings.tokenFile);
  if (kept !== null && kept !== '') return kept;
  if (!terminal.isInteractive) {
    throw new ClientError(`there is no token in ${settings.tokenFile}: 'understudy access login' gets one`);
  }
  try {
    const login = await terminal.ask('Username: ');
    const password = await terminal.askSecret('Password: ');
    const { hostname } = new URL(settings.url);
    const access = { url: `https://${hostname}:${ACCESS_PORT}/rbac-api`, caFile: settings.caFile };
    const { token } = await demandService(access, 'POST', '/v1/auth/token', { login, password });
    return String(token);
  } finally {
    terminal.close();
  }
}

/** Reads a text, or for `@FILE` the content of that file. Throws ClientError. */
export function readTextOrFile(text: string): string {
  if (!text.startsWith('@')) return text;
  const file = text.slice(1);
  if (!existsSync(file)) throw new ClientError(`the file '${file}' does not exist`);
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ClientError(`the file '${file}' cannot be read: ${describeCause(error)}`, error);
  }
}

export function isJsonRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
