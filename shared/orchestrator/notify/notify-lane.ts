import { type NotifyWindow, parseNotifyWindow, printNotifyWindow } from '../../fleet/policies/notify-policy.ts';
import type { FreshnessPolicy } from '../../fleet/policies/policy-fields.ts';

/** Nodes that are notified together: they share an environment, a pace and a time of the day. */
export interface NotifyLane {
  readonly environment: string;
  readonly notify: 'paced' | 'now';
  readonly window: NotifyWindow | null;
}

/** The lane of a node with this policy; null: it is not notified. */
export function laneOf(
  environment: string,
  { notify, notifyWindow: window }: Pick<FreshnessPolicy, 'notify' | 'notifyWindow'>,
): NotifyLane | null {
  return notify === 'off' ? null : { environment, notify, window };
}

/** Names a lane. */
export function printLane({ environment, notify, window }: NotifyLane): string {
  return `${environment}|${notify}|${window === null ? 'any' : printNotifyWindow(window)}`;
}

/** Reads the name of a lane; null for anything else. */
export function parseLane(name: string): NotifyLane | null {
  const [environment = '', notify, window = ''] = name.split('|');
  if (notify !== 'paced' && notify !== 'now') return null;
  if (window === 'any') return { environment, notify, window: null };
  const parsed = parseNotifyWindow(window);
  return parsed && { environment, notify, window: parsed };
}
