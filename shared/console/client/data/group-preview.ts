import { callApi } from './api-client.ts';
import { ApiFault } from './api-fault.ts';

/** Matches and changes of a draft of a group. */
export interface GroupPreview {
  /** The number of nodes that match. */
  readonly matching: number;
  /** The first of them. */
  readonly nodes: readonly string[];
  /** Null when the server cannot predict them. */
  readonly changes: readonly { readonly certname: string; readonly kind: string; readonly summary: string }[] | null;
  /** The number of nodes that change; `changes` holds the first of them. */
  readonly changed?: number;
  /** The numbers of nodes that the group gains and loses. */
  readonly gained?: number;
  readonly lost?: number;
  /** The number of nodes whose catalogs are compiled again. */
  readonly catalogs?: number;
  /** False: the time was over before all nodes were read, and all numbers are too low. */
  readonly isComplete?: boolean;
}

/** Number of certnames read where the inventory is asked. */
const MOST_NAMES = 50;

/** Milliseconds that the second request gives the server, when the first one saw not all nodes. */
const LONG_LOOK_MS = 5_000;

/**
 * Asks what a group would match: first for what is found at once, then, where nodes are left, for
 * the rest. `show` gets each answer. A server that has no previews is asked for the query of the
 * rule, and the inventory for its nodes. Throws ApiFault.
 */
export async function previewGroup(
  body: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
  show: (preview: GroupPreview) => void,
): Promise<void> {
  const address = '/understudy/v1/groups/preview';
  const first = await askFirst(address, body, signal);
  show(first);
  if (first.isComplete !== false) return;
  const later = await callApi(`${address}?wait=${LONG_LOOK_MS}`, { method: 'POST', body, signal });
  show(later.data);
}

async function askFirst(
  address: '/understudy/v1/groups/preview',
  body: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<GroupPreview> {
  try {
    return (await callApi(address, { method: 'POST', body, signal })).data;
  } catch (error) {
    if (!(error instanceof ApiFault) || error.kind !== 'not-found') throw error;
    return askInventory(body.rule, signal);
  }
}

async function askInventory(rule: unknown, signal: AbortSignal): Promise<GroupPreview> {
  if (rule === null) return { matching: 0, nodes: [], changes: null };
  const translate = '/classifier-api/v1/rules/translate?format=inventory';
  const { data: query } = await callApi(translate, { method: 'POST', body: rule, signal });
  const wanted = new URLSearchParams({
    query: JSON.stringify(['from', 'inventory', ['extract', ['certname'], query]]),
    limit: String(MOST_NAMES),
    include_total: 'true',
    order_by: JSON.stringify([{ field: 'certname' }]),
  });
  const { data, total } = await callApi(`/pdb/query/v4?${wanted}`, { signal });
  const nodes = (data as readonly { readonly certname: string }[]).map(({ certname }) => certname);
  return { matching: total ?? nodes.length, nodes, changes: null };
}
