import type { AwsClients } from '../../shared/store/aws/stores.ts';
import { describeGrant } from './granted.ts';
import { listNeeds, type ResourceNames } from './iam/needs.ts';
import type { Need, RolePolicies } from './iam/policies.ts';

/** A request as the SDK sends it. */
interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * Judges what the SDK's clients of this process send by the policies of the part that would send it
 * in AWS. It only notes: the request goes on.
 */
export class AwsCalls {
  readonly #denials = new Map<string, Set<string>>();
  readonly #needs = new Map<string, Need[]>();
  /** The SDK's commands that any part sent: `GetCommand`. */
  readonly commands = new Set<string>();
  readonly #names: ResourceNames;
  readonly #roles: Readonly<Record<string, RolePolicies>>;
  #part: string | null = null;

  /** `roles`: the policies of each part's role. */
  constructor(clients: AwsClients, names: ResourceNames, roles: Readonly<Record<string, RolePolicies>>) {
    this.#names = names;
    this.#roles = roles;
    for (const client of Object.values(clients)) this.#listen(client);
  }

  /** Judges all requests until `work` ends as requests of `part`. */
  async recordDuring<T>(part: string, work: () => Promise<T>): Promise<T> {
    this.#part = part;
    try {
      return await work();
    } finally {
      this.#part = null;
    }
  }

  /** What the part asked for, as `listGrants` describes what it may ask for. */
  getCalls(part: string): readonly string[] {
    const described = (this.#needs.get(part) ?? []).flatMap(({ action, resource }) => {
      const [, folder] = /\/([^/]+)\//.exec(resource) ?? [];
      return describeGrant(action, action.startsWith('s3:') ? resource.replace(/\/.*/, `/${folder}/*`) : resource);
    });
    return [...new Set(described)].sort();
  }

  /** The collections of documents that the part wrote, or those that it read. */
  getCollections(part: string, kind: 'read' | 'written' = 'written'): readonly string[] {
    const isAsked = ({ action, resource }: Need) =>
      resource.includes('Documents') && /:(Put|Update|Delete)Item$/.test(action) === (kind === 'written');
    const asked = (this.#needs.get(part) ?? []).filter(isAsked);
    return [...new Set(asked.flatMap(({ context }) => context['dynamodb:LeadingKeys'] ?? []))].sort();
  }

  /** What AWS would have denied the part, sorted. */
  getDenials(part: string): readonly string[] {
    return [...(this.#denials.get(part) ?? [])].sort();
  }

  /** What AWS would deny another role of all that these parts asked for, sorted. */
  listDenialsOf(role: RolePolicies, parts: readonly string[]): readonly string[] {
    const needs = parts.flatMap((part) => this.#needs.get(part) ?? []);
    return [...new Set(needs.flatMap((need) => role.findDenial(need) ?? []))].sort();
  }

  #listen(client: AwsClients[keyof AwsClients]): void {
    // The clients differ only in the types of their commands.
    (client as AwsClients['sqs']).middlewareStack.add(
      (next, { commandName = '' }) =>
        (args) => {
          this.commands.add(commandName);
          // A request over HTTP, as all of these clients send.
          this.#judge(args.request as SentRequest);
          return next(args);
        },
      { step: 'finalizeRequest', name: 'calls' },
    );
  }

  #judge({ method, path, query = {}, headers, body = '' }: SentRequest): void {
    const part = this.#part;
    if (part === null) return;
    const parameters = new URLSearchParams(
      Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
    );
    // Objects may be streams; nobody looks at their bytes.
    const text = body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.byteLength) : '';
    const needs = listNeeds({ method, url: `${path}?${parameters}`, headers, body: Buffer.from(text) }, this.#names);
    this.#needs.set(part, [...(this.#needs.get(part) ?? []), ...needs]);
    for (const need of needs) {
      const denial = this.#roles[part]?.findDenial(need) ?? (part in this.#roles ? null : `no role of ${part}`);
      if (denial === null) continue;
      const denials = this.#denials.get(part) ?? new Set();
      this.#denials.set(part, denials.add(denial));
    }
  }
}
