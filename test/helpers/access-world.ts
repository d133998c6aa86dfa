import type { AccessAuditEntry } from '../../shared/access/accounts/access-audit.ts';
import { type AccessOptions, AccessService } from '../../shared/access/accounts/access-service.ts';
import type { Account } from '../../shared/access/accounts/account.ts';
import type { DocumentStore } from '../../shared/store/ports/document-store.ts';
import type { SecretSource } from '../../shared/store/ports/secrets.ts';
import { ManualClock, MemoryDocuments } from './memory-stores.ts';

/** As cheap as scrypt gets. */
export const CHEAP_COST = { logN: 1, r: 1, p: 1 };

/** Bytes that never repeat, and are the same in each run. */
export class CountingSecrets implements SecretSource {
  #count = 0;

  bytes(count: number): Uint8Array {
    this.#count += 1;
    const bytes = Buffer.alloc(count, 0xa5);
    bytes.writeUInt32BE(this.#count, 0);
    return bytes;
  }
}

export interface AccessWorld {
  readonly access: AccessService;
  readonly clock: ManualClock;
  readonly documents: DocumentStore;
  readonly audit: AccessAuditEntry[];
  /** Opens another instance over the same store. */
  open(): AccessService;
  /** Creates a user with the password `Welc0me!`. */
  addUser(login: string, roleIds?: readonly number[]): Promise<Account>;
  /** A token of a user. */
  tokenOf(login: string): Promise<string>;
  /** A token of a new user, `helper`, with a role of these permissions, as `users:edit:*`. */
  tokenWith(...permissions: readonly string[]): Promise<string>;
}

/** Users, roles and tokens over a store with a simulated clock. */
export function openAccessWorld(
  options: AccessOptions = {},
  documents: DocumentStore = new MemoryDocuments(),
): AccessWorld {
  const clock = new ManualClock(Date.UTC(2026, 10, 20, 22, 12, 50));
  const secrets = new CountingSecrets();
  const audit: AccessAuditEntry[] = [];
  const open = () =>
    new AccessService(
      { documents, clock, secrets },
      { passwordCost: CHEAP_COST, audit: (entry) => audit.push(entry), ...options },
    );
  const access = open();
  const world: AccessWorld = {
    access,
    clock,
    documents,
    audit,
    open,
    async addUser(login, roleIds = []) {
      const password = await access.hash('Welc0me!');
      const displayName = login.charAt(0).toUpperCase() + login.slice(1);
      const names = { login, email: `${login}@example.com`, displayName };
      return access.accounts.create({ ...names, isGroup: false, roleIds, password });
    },
    async tokenOf(login) {
      const account = await access.accounts.findByLogin(login);
      if (account === null) throw new Error(`no user ${login}`);
      return access.tokens.create(account, { lifetimeMs: 3600_000 });
    },
    async tokenWith(...permissions) {
      const { id } = await access.roles.create({
        displayName: permissions.join(),
        description: null,
        permissions: permissions.map((text) => {
          const [objectType = '', action = '', instance = ''] = text.split(':');
          return { objectType, action, instance };
        }),
      });
      await world.addUser('helper', [id]);
      return world.tokenOf('helper');
    },
  };
  return world;
}
