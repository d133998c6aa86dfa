import { AccessRefused } from '../../../access/accounts/access-control.ts';
import { describeAccountChange } from '../../../access/accounts/access-service.ts';
import { isLogin } from '../../../access/accounts/account-store.ts';
import { describePasswordFault } from '../../../access/accounts/passwords.ts';
import { TEXT_TYPE } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { FIELD, optionalField, readJsonFields } from '../../exchange/json-fields.ts';
import { createRoute } from '../../route.ts';
import {
  type AccessApi,
  createAccessRoute,
  demandGrantable,
  demandPermission,
  demandSubject,
  uuidIn,
} from './access-endpoint.ts';
import { findChangeable } from './users.ts';

const V1 = '/rbac-api/v1';

/**
 * `POST v1/users/<id>/password/reset`: a token, as text, that sets the user's password once.
 * Whoever makes one can become that user: he needs all that the user may do.
 */
export const postPasswordReset = createAccessRoute(
  'POST',
  `${V1}/users/:id/password/reset`,
  async (context, { access, subject }) => {
    const account = await findChangeable(access, subject, uuidIn(context, 'id'));
    await demandPermission(access, subject, 'users', 'reset_password', account.id);
    await demandGrantable(access, subject, await access.permissionsOf({ ...account, isRevoked: false }));
    if (account.isRemote) {
      throw new AccessRefused('permission-denied', `The password of ${account.login} is in a directory`);
    }
    const token = await access.resets.create(account, subject);
    const message = `password reset created: ${account.login}`;
    await access.noteChange(subject, describeAccountChange(account, 'create', message));
    return new Response(token, { headers: { 'Content-Type': TEXT_TYPE } });
  },
);

/** `POST v1/auth/reset`: sets the password of the user of a reset token. It logs nobody in. */
export const postAuthReset = createRoute<AccessApi>('POST', `${V1}/auth/reset`, async (context, { access }) => {
  const { token, password } = await readJsonFields(context, { token: FIELD.text, password: FIELD.text });
  await access.resetPassword(token, password);
  return new Response(null);
});

/**
 * `PUT v1/users/current/password`: another password for who asks. His tokens stay; a wrong current
 * password counts as a failed log-in.
 */
export const putCurrentPassword = createAccessRoute(
  'PUT',
  `${V1}/users/current/password`,
  async (context, { access, subject }) => {
    const body = await readJsonFields(context, { current_password: FIELD.text, password: FIELD.text });
    await access.changePassword(subject, body.current_password, body.password);
    return new Response(null);
  },
);

/** `POST v1/command/validate-password`: whether a password may be one. A reset token is enough. */
export const postValidatePassword = createRoute<AccessApi>(
  'POST',
  `${V1}/command/validate-password`,
  async (context, api) => {
    const body = await readJsonFields(context, { password: FIELD.text, reset_token: optionalField(FIELD.text) });
    if (body.reset_token === undefined) await demandSubject(context, api);
    else if ((await api.access.resets.find(body.reset_token)) === null) throw invalidReset();
    return sendValidity(context, describePasswordFault(body.password), 'length');
  },
);

/** `POST v1/command/validate-login`: whether a text may be a login. */
export const postValidateLogin = createAccessRoute('POST', `${V1}/command/validate-login`, async (context) => {
  const { login } = await readJsonFields(context, { login: FIELD.text });
  return sendValidity(context, isLogin(login) ? null : 'A login has no control characters and is not blank', 'format');
});

function sendValidity(context: Parameters<typeof sendJson>[0], fault: string | null, rule: string) {
  const failures = fault === null ? {} : { failures: [{ rule, message: fault }] };
  return sendJson(context, { valid: fault === null, ...failures });
}

/** The refusal of a reset token that is unknown, used or expired. */
function invalidReset(): AccessRefused {
  return new AccessRefused('permission-denied', 'The password reset token is unknown, used or expired');
}
