import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { SecretVariables } from '../../../../shared/store/aws/secret-variables.ts';
import { StoreRefused } from '../../../../shared/store/ports/store-errors.ts';
import { type FakeSecrets, startFakeSecrets } from '../../../helpers/fake-secrets.ts';

const VARIABLES = { PLAIN: 'plain', KEY: 'secret:puppet/key', PART: 'secret:puppet/canary#certificate' };
const MINUTE = 60_000;

let secrets: FakeSecrets;
let client: SecretsManagerClient;
let now = 0;
const clock = { now: () => now };

beforeAll(async () => {
  secrets = await startFakeSecrets({ 'puppet/key': 'one', 'puppet/canary': '{"certificate":"pem"}' });
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  client = new SecretsManagerClient({ region: 'us-east-1', endpoint: secrets.url, credentials, maxAttempts: 1 });
});
afterAll(() => secrets.close());

describe('variables that are secrets', () => {
  it('have the values of the secrets, and of their fields', async () => {
    expect(await new SecretVariables(VARIABLES, Object.keys(VARIABLES), clock, client).read()).toEqual({
      PLAIN: 'plain',
      KEY: 'one',
      PART: 'pem',
    });
  });

  it('are the same object until one changes, which is seen after a quarter of an hour', async () => {
    const variables = new SecretVariables(VARIABLES, Object.keys(VARIABLES), clock, client);
    const first = await variables.read();
    secrets.texts.set('puppet/key', 'two');
    now += 14 * MINUTE;
    expect(await variables.read()).toBe(first);
    now += MINUTE;
    const second = await variables.read();
    expect(second).toMatchObject({ KEY: 'two' });
    now += 15 * MINUTE;
    expect(await variables.read()).toBe(second);
  });

  it('keep what was read while Secrets Manager does not answer', async () => {
    const variables = new SecretVariables(VARIABLES, Object.keys(VARIABLES), clock, client);
    const first = await variables.read();
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const text = secrets.texts.get('puppet/key') ?? '';
    secrets.texts.delete('puppet/key');
    now += 15 * MINUTE;
    expect(await variables.read()).toBe(first);
    expect(log).toHaveBeenCalledWith('Secrets could not be read again; the former ones are used', expect.any(Error));
    log.mockRestore();
    secrets.texts.set('puppet/key', text);
  });

  it.each([
    [{ KEY: 'secret:none' }, 'the secret none of KEY: ResourceNotFoundException: no secret none'],
    [{ KEY: 'secret:puppet/canary#key' }, "the secret puppet/canary of KEY has no text 'key'"],
    [{ KEY: 'secret:puppet/key#key' }, "the secret puppet/key of KEY has no text 'key'"],
  ])('are refused: %j', async (variables, message) => {
    const reading = new SecretVariables(variables, ['KEY'], clock, client).read();
    await expect(reading).rejects.toThrow(StoreRefused);
    await expect(new SecretVariables(variables, ['KEY'], clock, client).read()).rejects.toThrow(message);
  });

  it('ask nobody where no variable is a secret', async () => {
    expect(await new SecretVariables(VARIABLES, ['PLAIN', 'NONE'], clock).read()).toEqual({ PLAIN: 'plain' });
  });
});
