import { expect, it } from 'vitest';
import { requireChallenge } from '../../../../shared/access/ca/challenge-password.ts';
import { makeRequest } from '../../../helpers/certificate-request.ts';

const NODE = 'web01.example.com';

it.each([
  ['right', 'right', true],
  ['wrong', 'right', false],
  ['', 'right', false],
  [undefined, 'right', false],
  // No password is set: no request has it.
  ['', '', false],
  [undefined, '', false],
  ['any', '', false],
])('a request with the password %j, where it is %j, is signed: %j', async (given, password, isSigned) => {
  const { request } = await makeRequest(NODE, given === undefined ? {} : { challengePassword: given });
  expect(await requireChallenge(true, password)(NODE, request)).toBe(isSigned);
});

it('does not replace what else decides', async () => {
  const { request } = await makeRequest(NODE, { challengePassword: 'right' });
  const asked: string[] = [];
  const decide = async (certname: string) => asked.push(certname) === 0;
  expect(await requireChallenge(decide, 'right')(NODE, request)).toBe(false);
  expect(await requireChallenge(false, 'right')(NODE, request)).toBe(false);
  expect(asked).toEqual([NODE]);
});
