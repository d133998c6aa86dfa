import { randomBytes } from 'node:crypto';
import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { FRONT_DOOR_VARIABLES } from '../../config/front-doors.ts';
import type { KeyVault } from '../ports/secrets.ts';
import { StoreRefused } from '../ports/store-errors.ts';
import { decryptText, encryptText } from '../sealed-text.ts';
import { callSdk } from './errors.ts';
import type { AwsNames } from './stores.ts';

const PREFIX = 'kms:1';
/** Encryption contexts: KMS decrypts only with the same one, and records it in its log. */
const CONTEXT = { purpose: 'understudy certificate authority' };
const EDGE_CONTEXT = { purpose: 'understudy edge' };

/**
 * Opens the vault of the KMS key named in the environment; undefined when none is named. `failed`
 * is called when a KMS call fails.
 */
export function openKmsVault(names: AwsNames, failed: () => void = () => {}): { readonly vault?: KeyVault } {
  const keyId = names[FRONT_DOOR_VARIABLES.authorityKey];
  return keyId === undefined || keyId === '' ? {} : { vault: createKmsVault(new KMSClient({}), keyId, failed) };
}

/** The same for the key of the edge's certificate: the CA's process seals it. */
export function openEdgeVault(names: AwsNames, failed?: () => void): { readonly edgeVault?: KeyVault } {
  const keyId = names[FRONT_DOOR_VARIABLES.edgeKey];
  if (keyId === undefined || keyId === '') return {};
  return { edgeVault: createKmsVault(new KMSClient({}), keyId, failed, EDGE_CONTEXT) };
}

/** Envelope encryption: seals with a data key that only KMS can decrypt. */
export function createKmsVault(
  client: KMSClient,
  keyId: string,
  failed: () => void = () => {},
  context: Readonly<Record<string, string>> = CONTEXT,
): KeyVault {
  const callKms = <T>(call: () => Promise<T>) =>
    callSdk(`KMS key ${keyId}`, call).catch((error: unknown) => {
      failed();
      throw error;
    });
  return {
    async seal(text) {
      const dataKey = randomBytes(32);
      const command = new EncryptCommand({ KeyId: keyId, Plaintext: dataKey, EncryptionContext: context });
      const { CiphertextBlob } = await callKms(() => client.send(command));
      if (CiphertextBlob === undefined) throw new StoreRefused(`KMS key ${keyId} encrypted nothing`);
      return [PREFIX, Buffer.from(CiphertextBlob).toString('base64'), encryptText(dataKey, text)].join(':');
    },
    async open(sealed) {
      const [kind, version, dataKey = '', body = ''] = sealed.split(':');
      if (`${kind}:${version}` !== PREFIX) throw new StoreRefused("the CA's key was not sealed with KMS");
      const blob = Buffer.from(dataKey, 'base64');
      const command = new DecryptCommand({ KeyId: keyId, CiphertextBlob: blob, EncryptionContext: context });
      const { Plaintext } = await callKms(() => client.send(command));
      const text = Plaintext === undefined ? null : decryptText(Plaintext, body);
      if (text === null) throw new StoreRefused("the CA's sealed key was changed in the store");
      return text;
    },
  };
}
