import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isSignedCall, readPush, readPushedBranches } from '../../../../shared/fleet/sources/webhook.ts';

const SECRET = 'a secret of some length';
const digest = (secret: string, algorithm = 'sha256') => createHmac(algorithm, secret).update('a body').digest('hex');
const signed = (secret: string, algorithm = 'sha256') => `${algorithm}=${digest(secret, algorithm)}`;

describe('a call of a webhook', () => {
  it.each<readonly [string, Readonly<Record<string, string>>, boolean]>([
    ['GitHub', { 'x-hub-signature-256': signed(SECRET) }, true],
    ['GitHub with another secret', { 'x-hub-signature-256': signed('other') }, false],
    ['GitHub with SHA-1 only', { 'x-hub-signature': signed(SECRET, 'sha1') }, false],
    ['Bitbucket', { 'x-hub-signature': signed(SECRET) }, true],
    ['GitLab', { 'x-gitlab-token': SECRET }, true],
    ['GitLab with a part of the secret', { 'x-gitlab-token': SECRET.slice(1) }, false],
    ['a wrong signature beside a right token', { 'x-hub-signature-256': 'sha256=', 'x-gitlab-token': SECRET }, false],
    ['nobody', {}, false],
  ])('of %s', (_, headers, isAccepted) => {
    expect(isSignedCall((name) => headers[name], digest(SECRET), SECRET)).toBe(isAccepted);
  });

  it('without a secret is never accepted', () => {
    expect(isSignedCall(() => '', digest(''), '')).toBe(false);
    expect(isSignedCall((name) => (name === 'x-hub-signature-256' ? signed('') : undefined), digest(''), '')).toBe(
      false,
    );
  });

  it.each<readonly [string, unknown, readonly string[] | null]>([
    ['GitHub and GitLab', { ref: 'refs/heads/feature/x' }, ['feature/x']],
    ['a tag', { ref: 'refs/tags/v1' }, null],
    ['Bitbucket Cloud', { push: { changes: [{ new: { name: 'a' } }, { new: null, old: { name: 'b' } }] } }, ['a', 'b']],
    ['Bitbucket Server', { changes: [{ refId: 'refs/heads/a' }] }, ['a']],
    ['Azure DevOps', { resource: { refUpdates: [{ name: 'refs/heads/a', newObjectId: '1f' }] } }, ['a']],
    ['a tag of Azure DevOps', { resource: { refUpdates: [{ name: 'refs/tags/a' }] } }, null],
    ['what says nothing', { zen: 'x' }, null],
    ['what is no hash', [], null],
  ])('names branches: %s', (_, body, branches) => {
    expect(readPushedBranches(body)).toEqual(branches);
  });

  const NONE = '0'.repeat(40);
  it.each<readonly [string, unknown]>([
    ['GitHub', { ref: 'refs/heads/a', deleted: true }],
    ['GitLab', { ref: 'refs/heads/a', after: NONE }],
    ['Bitbucket Cloud', { push: { changes: [{ new: null, old: { name: 'a' } }] } }],
    ['Bitbucket Server', { changes: [{ refId: 'refs/heads/a', type: 'DELETE' }] }],
    ['Azure DevOps', { resource: { refUpdates: [{ name: 'refs/heads/a', newObjectId: NONE }] } }],
  ])('says of %s that a branch is deleted', (_, body) => {
    expect(readPush(body)).toEqual([{ name: 'a', isDeleted: true }]);
  });
});
