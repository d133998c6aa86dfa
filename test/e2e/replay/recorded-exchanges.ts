import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BESIDE, isBeside } from '../../helpers/material-beside.ts';

/** One request of a real agent and what a real Puppet Server answered, as they were recorded. */
export interface AgentExchange {
  readonly method: string;
  readonly url: string;
  readonly peer_cn: string | null;
  /** Names and values in turn. */
  readonly request_headers: readonly string[];
  readonly request_body: string | { readonly text_start?: string; readonly bytes: number } | null;
  readonly status: number;
  /** The answer was made up by the recording proxy. */
  readonly injected?: boolean;
  readonly response_headers: readonly string[];
  /** `text_start`: only the beginning was kept. */
  readonly response_body: string | { readonly text_start?: string; readonly bytes: number };
}

/** Whether the recordings lie beside this repository. */
export function hasRecordings(): boolean {
  return isBeside('agentRecordings');
}

/**
 * What agents asked and Puppet Server answered, in order. Left out: answers that the proxy made up,
 * requests of which not the whole body was kept, and the catalog by which an external classifier
 * moved a node to another environment.
 */
export function recordedExchanges(): readonly AgentExchange[] {
  const files = readdirSync(BESIDE.agentRecordings).filter((file) => file.endsWith('.jsonl'));
  return files.sort().flatMap((file) =>
    readExchanges(join(BESIDE.agentRecordings, file)).filter((exchange) => {
      const { injected, url, request_body: body } = exchange;
      const isClassified = file.includes('-static') && url.includes('/catalog/') && url.includes('=production');
      return !injected && !isClassified && (body === null || typeof body === 'string');
    }),
  );
}

/** The exchanges of one file, in order. */
export function readExchanges(path: string): readonly AgentExchange[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line): AgentExchange => JSON.parse(line));
}

/** A header by its name in lower case. */
export function headerOf(headers: readonly string[], name: string): string | undefined {
  const index = headers.findIndex((each, position) => position % 2 === 0 && each.toLowerCase() === name);
  return index < 0 ? undefined : headers[index + 1];
}
