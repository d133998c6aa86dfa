import { isPcpUri } from './pcp-uri.ts';

/** The data of an inventory request. */
interface InventoryRequest {
  /** URIs and patterns. */
  readonly query: readonly string[];
  readonly subscribe: boolean;
}

/** The answer to data that is no inventory request. */
export const INVALID_INVENTORY_REQUEST =
  "Invalid inventory request: its data must be a map with 'query', a list of PCP URIs, and optionally 'subscribe', a boolean.";

/** Queries are short; a longer one costs each change of the inventory too much. */
const LARGEST_REQUEST = 1024 * 1024;

/** Reads the data of an inventory request; null when it is not valid. */
export function readInventoryRequest(data: Uint8Array | null): InventoryRequest | null {
  if (data === null || data.length > LARGEST_REQUEST) return null;
  const value: unknown = JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.length).toString());
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const { query, subscribe = false, ...unknown }: Readonly<Record<string, unknown>> = { ...value };
  if (!isQuery(query) || typeof subscribe !== 'boolean' || Object.keys(unknown).length > 0) return null;
  return { query, subscribe };
}

function isQuery(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string' && isPcpUri(one));
}
