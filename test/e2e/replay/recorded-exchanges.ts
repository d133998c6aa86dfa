import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** One request of a real agent and what a real Puppet Server answered, as they were recorded. */
export interface AgentExchange {
  readonly method: string;
  readonly url: string;
  readonly peer_cn: string | null;
  /** Names and values in turn. */
  readonly request_headers: readonly string[];
  readonly request_body: string | null;
  readonly status: number;
  /** The answer was made up by the recording proxy. */
  readonly injected?: boolean;
  readonly response_headers: readonly string[];
  /** `text_start`: only the beginning was kept. */
  readonly response_body: string | { readonly text_start?: string; readonly bytes: number };
}

const RECORDINGS = fileURLToPath(new URL('../../../../shared/agent/recordings/', import.meta.url));

/** Whether the recordings lie beside this repository. */
export function hasRecordings(): boolean {
  return existsSync(RECORDINGS);
}

/**
 * What agents asked and Puppet Server answered, in order; each request once an answer, and once more of the server that made static
 * catalogs. Left out: answers that the proxy made up, and the catalog by which an external classifier moved a node to another
 * environment.
 */
export function recordedExchanges(): readonly AgentExchange[] {
  const seen = new Map<string, AgentExchange>();
  for (const file of readdirSync(RECORDINGS).sort()) {
    if (!file.endsWith('.jsonl')) continue;
    const isStatic = file.includes('-static');
    for (const line of readFileSync(`${RECORDINGS}${file}`, 'utf8').trimEnd().split('\n')) {
      const exchange: AgentExchange = JSON.parse(line);
      const url = exchange.url.replace(/transaction_uuid=[^&]*/, 'transaction_uuid=U');
      const key = `${exchange.method} ${url} ${exchange.status} ${isStatic}`;
      const isClassified = isStatic && url.includes('/catalog/') && url.includes('=production');
      if (!exchange.injected && !isClassified && !seen.has(key)) seen.set(key, exchange);
    }
  }
  return [...seen.values()];
}

/** A header by its name in lower case. */
export function headerOf(headers: readonly string[], name: string): string | undefined {
  const index = headers.findIndex((each, position) => position % 2 === 0 && each.toLowerCase() === name);
  return index < 0 ? undefined : headers[index + 1];
}
