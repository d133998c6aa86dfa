import type { AccessControl, Permission, Subject } from '../../access/accounts/access-control.ts';
import { OrchestratorError } from './orchestrator-error.ts';

/** The user of a request. With `boundBy`, both need each permission: the weaker of two users. */
export interface Requester extends Subject {
  readonly boundBy?: Subject;
}

/** The users who need each permission. */
export function listBound(subject: Requester): readonly Subject[] {
  return subject.boundBy === undefined ? [subject] : [subject, subject.boundBy];
}

/** Asks for permissions, and refuses what is not permitted. */
export class Permissions {
  readonly #access: AccessControl;

  constructor(access: AccessControl) {
    this.#access = access;
  }

  permits(subject: Subject, objectType: string, action: string, instance = '*'): Promise<boolean> {
    return this.#access.permits(subject, { objectType, action, instance });
  }

  /** The user who lacks a permission; null when it is permitted. */
  async findLacking(subject: Requester, objectType: string, action: string, instance = '*'): Promise<Subject | null> {
    for (const one of listBound(subject)) if (!(await this.permits(one, objectType, action, instance))) return one;
    return null;
  }

  /** Rejects with OrchestratorError (`permission-denied`) unless it is permitted. */
  async demand(subject: Requester, objectType: string, action: string, instance = '*'): Promise<void> {
    const lacking = await this.findLacking(subject, objectType, action, instance);
    if (lacking !== null) throw createDeniedError(lacking, { objectType, action, instance });
  }

  /** A user as he is now. Rejects with OrchestratorError when he is gone or revoked. */
  async findCurrent({ id, login }: Pick<Subject, 'id' | 'login'>): Promise<Subject> {
    const subject = await this.#access.findSubject(id);
    if (subject !== null && !subject.isRevoked) return subject;
    throw new OrchestratorError('not-permitted', `User ${login} is gone or revoked`);
  }

  /** Finds the user of a token. Rejects with OrchestratorError (`user-unauthenticated`). */
  async authenticate(token: string | null): Promise<Subject> {
    const subject = token === null ? 'invalid-token' : await this.#access.authenticate(token);
    if (typeof subject !== 'string') return subject;
    const details = token === null ? {} : { reason: subject };
    throw new OrchestratorError('user-unauthenticated', 'Route requires authentication', details);
  }
}

function createDeniedError({ login }: Subject, { objectType, action, instance }: Permission): OrchestratorError {
  const permission = `${objectType}:${action}:${instance}`;
  const details = { permission: { object_type: objectType, action, instance } };
  return new OrchestratorError('permission-denied', `User ${login} lacks the permission ${permission}`, details);
}
