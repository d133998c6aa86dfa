import { constants, createDecipheriv, createPrivateKey, privateDecrypt } from 'node:crypto';
import { variableAsSetting } from '../environment/operator-variables.ts';
import type { CompileContext } from '../evaluator/ports.ts';
import {
  DER_TAG,
  type DerElement,
  DerError,
  isConstructed,
  readDerElement,
  readDerElements,
  readDerOid,
} from '../serialization/der-reader.ts';
import type { PuppetHash } from '../types/values/puppet-hash.ts';

/**
 * Decrypts each `ENC[PKCS7,...]` in a text. The options name the private key: an environment
 * variable, the key itself, or a file. Throws Error. Follows the PKCS7 encryptor of hiera-eyaml.
 */
export function decryptEyaml(text: string, options: PuppetHash, context: KeySource): string {
  const decrypted = text.replace(/ENC\[(?:(\w+),)?([^\]]*)\]/g, (_, scheme: string | undefined, body: string) => {
    if (scheme !== undefined && scheme !== 'PKCS7') throw new Error(`Unable to find encryption method ${scheme}`);
    return decryptEnvelope(Buffer.from(body, 'base64'), readKey(options, context)).toString('utf8');
  });
  return decrypted.replace(/\r?\n$/, '');
}

type KeySource = Pick<CompileContext, 'environment' | 'variables' | 'inputs'>;

/**
 * The option that names the environment variable with the private key. Decryption needs no public
 * key.
 */
const VARIABLE_OPTION = 'pkcs7_private_key_env_var';

function readKey(options: PuppetHash, context: KeySource): string {
  const { environment } = context;
  const variable = options.get(VARIABLE_OPTION) ?? false;
  if (variable !== false) return readVariable(String(variable), context);
  const inline = options.get('pkcs7_private_key_string');
  if (typeof inline === 'string') return inline;
  const path = options.get('pkcs7_private_key');
  if (typeof path !== 'string') throw new Error('pkcs7_private_key is not defined');
  const key = environment.readText(path);
  if (key === null) {
    // A deployment contains the code directory only.
    const advice = environment.codeId === null ? '' : ': keys have to be in a file of the code that is deployed';
    throw new Error(`No such file or directory @ rb_sysopen - ${path}${advice}`);
  }
  return key;
}

function readVariable(name: string, { variables, inputs }: KeySource): string {
  const variable = variables(name);
  inputs.recordSetting(...variableAsSetting(name, variable));
  if (variable.state === 'set') return variable.value;
  if (variable.state === 'unset') throw new Error(`env ${name} is not set (${VARIABLE_OPTION} in hiera.yaml)`);
  const reason = variable.listedIn === undefined ? '' : `: ${variable.listedIn} of the compiler does not list it`;
  throw new Error(`env ${name} may not be read (${VARIABLE_OPTION} in hiera.yaml)${reason}`);
}

const CIPHERS: Readonly<Record<string, string>> = {
  '2.16.840.1.101.3.4.1.42': 'aes-256-cbc',
  '2.16.840.1.101.3.4.1.22': 'aes-192-cbc',
  '2.16.840.1.101.3.4.1.2': 'aes-128-cbc',
  '1.2.840.113549.3.7': 'des-ede3-cbc',
};

/** Decrypts a CMS EnvelopedData (RFC 5652) with one key-transport recipient. */
function decryptEnvelope(der: Buffer, privateKey: string): Buffer {
  const { encryptedKey, cipherOid, iv, content } = parseEnvelope(der);
  const cipher = CIPHERS[cipherOid];
  if (cipher === undefined) throw new Error(`unsupported cipher ${cipherOid}`);
  const key = privateDecrypt({ key: createPrivateKey(privateKey), padding: constants.RSA_PKCS1_PADDING }, encryptedKey);
  const decipher = createDecipheriv(cipher, key, iv);
  return Buffer.concat([decipher.update(content), decipher.final()]);
}

interface Envelope {
  readonly encryptedKey: Uint8Array;
  /** The object identifier of the cipher of `content`, dotted. */
  readonly cipherOid: string;
  readonly iv: Uint8Array;
  readonly content: Uint8Array;
}

function parseEnvelope(der: Buffer): Envelope {
  try {
    const fields = readDerElements(childAt(childAt(readDerElement(der), 1), 0).content);
    const recipients = fields.find(({ tag }) => tag === DER_TAG.set);
    const encrypted = fields.at(-1);
    if (!recipients || !encrypted) throw new Error('Could not parse the PKCS7: not enveloped data');
    const algorithm = childAt(encrypted, 1);
    return {
      encryptedKey: childAt(childAt(recipients, 0), 3).content,
      cipherOid: readDerOid(childAt(algorithm, 0)),
      iv: childAt(algorithm, 1).content,
      content: readOctets(childAt(encrypted, 2)),
    };
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    throw new Error('Could not parse the PKCS7: not enough data', { cause: error });
  }
}

function childAt(parent: DerElement, index: number): DerElement {
  const child = readDerElements(parent.content)[index];
  if (!child) throw new DerError('A DER element is missing');
  return child;
}

/** Returns the bytes of a primitive or constructed octet string. */
function readOctets(element: DerElement): Uint8Array {
  return isConstructed(element) ? Buffer.concat(readDerElements(element.content).map(readOctets)) : element.content;
}
