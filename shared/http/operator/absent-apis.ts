import type { Hono } from 'hono';
import { sendAccessError } from '../access-fault.ts';
import type { Bindings } from '../endpoint.ts';

/** APIs of Puppet Enterprise that are not here, by their paths, and why not. */
const ABSENT = {
  access: [
    ['/rbac-api/v1/config/*', 'The log-in page has no disclaimer'],
    ['/rbac-api/v1/command/config/*', 'The log-in page has no disclaimer'],
  ],
  orchestrator: [
    ['/inventory/v1/*', 'There are no connections by ssh and winrm: targets are nodes with an agent'],
    ['/orchestrator/v1/dumpling', 'There are no dumps: understudy backup has all jobs'],
  ],
} as const;

/** Answers what is absent at a door with 501 and a sentence. */
export function mountAbsentApis(app: Hono<{ Bindings: Bindings }>, door: keyof typeof ABSENT): void {
  for (const [path, reason] of ABSENT[door]) {
    app.all(path, () => sendAccessError(501, 'not-available', reason));
  }
}
