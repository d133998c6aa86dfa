import type {
  AccessControl,
  AuthenticationFailure,
  Permission,
  Subject,
} from '../../shared/access/accounts/access-control.ts';

/** Object type, action and instance; `*` stands for all. */
type Grant = readonly [string, string, string];

export const ADMIN_GRANTS: readonly Grant[] = [['*', '*', '*']];
export const VIEWER_GRANTS: readonly Grant[] = [['orchestrator', 'view', '*']];
export const OPERATOR_GRANTS: readonly Grant[] = [...VIEWER_GRANTS, ['puppet_agent', 'run', '*']];

/** Users whose tokens are their names, with the grants that a test gives them. */
export class FixedAccess implements AccessControl {
  readonly #grants: Record<string, readonly Grant[]>;

  constructor(grants: Readonly<Record<string, readonly Grant[]>>) {
    this.#grants = { ...grants };
  }

  /** Changes what a user may do; null deletes him. */
  change(login: string, grants: readonly Grant[] | null): void {
    if (grants === null) delete this.#grants[login];
    else this.#grants[login] = grants;
  }

  async authenticate(token: string): Promise<Subject | AuthenticationFailure> {
    return this.#grants[token] === undefined ? 'invalid-token' : createSubject(token);
  }

  async authenticateCertificate(): Promise<Subject | null> {
    return null;
  }

  async findSubject(id: string): Promise<Subject | null> {
    const login = Object.keys(this.#grants).find((name) => createSubject(name).id === id);
    return login === undefined ? null : createSubject(login);
  }

  async permits({ login }: Subject, { objectType, action, instance }: Permission): Promise<boolean> {
    const covers = (granted: string | undefined, asked: string) => granted === '*' || granted === asked;
    return (this.#grants[login] ?? []).some(
      ([type, act, one]) => covers(type, objectType) && covers(act, action) && covers(one, instance),
    );
  }
}

function createSubject(login: string): Subject {
  return {
    id: `00000000-0000-4000-8000-${Buffer.from(login).toString('hex').padStart(12, '0').slice(-12)}`,
    login,
    email: '',
    displayName: login,
    isGroup: false,
    isRemote: false,
    isSuperuser: login === 'admin',
    isRevoked: false,
    lastLogin: null,
    roleIds: [1],
  };
}
